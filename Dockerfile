# The venue from its package. Build: docker build -t rialto .
# Run:  docker run -p 3000:3000 -v rialto:/var/lib/rialto rialto dev --host 0.0.0.0 --data /var/lib/rialto
FROM node:24-bookworm AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY scripts ./scripts
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm pack --pack-destination /build/packed

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /opt/rialto
COPY --from=build /build/packed/rialto-*.tgz /tmp/
# The runtime that comes with the package needs libatomic, which the slim image leaves out.
RUN apt-get update \
  && apt-get install -y --no-install-recommends libatomic1 \
  && rm -rf /var/lib/apt/lists/* \
  && npm install --no-audit --no-fund /tmp/rialto-*.tgz \
  && rm /tmp/rialto-*.tgz \
  && useradd --system --user-group --home-dir /var/lib/rialto rialto \
  && install -d -m 0700 -o rialto -g rialto /var/lib/rialto
USER rialto
WORKDIR /var/lib/rialto
VOLUME /var/lib/rialto
EXPOSE 3000
STOPSIGNAL SIGTERM
# A running venue writes the address of its management listener into its data directory, whatever ports and certificates
# are configured. Set RIALTO_DATA where the data directory is another one.
ENV RIALTO_DATA=/var/lib/rialto
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(JSON.parse(require('node:fs').readFileSync(process.env.RIALTO_DATA + '/management.json', 'utf8')).managementUrl + '/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/opt/rialto/node_modules/.bin/rialto"]
CMD ["dev", "--host", "0.0.0.0", "--management-port", "3001", "--data", "/var/lib/rialto"]

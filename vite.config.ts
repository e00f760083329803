import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The trading page and the operator console: `web/` in, hashed files out. `src/site.ts` runs it and serves the result. */
export default defineConfig({
  root: 'web',
  plugins: [react()],
  build: {
    target: 'es2023',
    emptyOutDir: true,
    // No script that adds scripts, and nothing inlined: the page's policy allows neither.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: {
        index: 'web/index.html',
        console: 'web/console.html',
        docs: 'web/docs/main.ts',
      },
    },
  },
});

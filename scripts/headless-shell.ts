import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, reasonOf, unpackPackages } from './distribution-packages.ts';

/** Headless Chromium, and the environment it needs: folders of libraries and fonts beside the machine's own. */
export type HeadlessShell =
  | { readonly program: string; readonly environment: Readonly<Record<string, string>> }
  | { readonly missing: string };

const PACKAGES = ['chromium-headless-shell', 'fonts-liberation'];

/** The distribution's package, downloaded once with its dependencies and unpacked into a cache folder. */
export function headlessShell(): HeadlessShell {
  const place = join(cacheFolder(), 'headless-shell');
  const program = join(place, 'usr', 'lib', 'chromium', 'chromium-headless-shell');
  if (!existsSync(program)) {
    try {
      unpackPackages({ names: PACKAGES, place, withWhatTheyNeed: true });
    } catch (cause) {
      return {
        missing: `npm has no Chromium for ${process.platform} ${process.arch}, and the distribution's could not be fetched (${reasonOf(cause)}): set CHROMIUM`,
      };
    }
  }
  const lib = join(place, 'usr', 'lib');
  // Libraries are in the folder named after the architecture (aarch64-linux-gnu), some of them one level
  // below.
  const folders = readdirSync(lib, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name.endsWith('-linux-gnu'))
    .map(({ name }) => join(lib, name));
  const below = folders.map((folder) => join(folder, 'pulseaudio'));
  const fonts = join(place, 'fonts.conf');
  if (!existsSync(fonts)) writeFileSync(fonts, fontsText(place));
  const environment = { LD_LIBRARY_PATH: [...folders, ...below].join(':'), FONTCONFIG_FILE: fonts };
  return { program, environment };
}

const fontsText = (place: string): string =>
  '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>' +
  `<dir>${join(place, 'usr', 'share', 'fonts')}</dir><dir>/usr/share/fonts</dir>` +
  `<cachedir>${join(place, 'fonts-cache')}</cachedir></fontconfig>\n`;

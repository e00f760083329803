import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** A Chromium that npm carries (Linux), or the one that CHROMIUM names; undefined with the reason where there is none. */
export async function openBrowser(): Promise<Browser | string> {
  const path = process.env['CHROMIUM'];
  if (path !== undefined) {
    if (!existsSync(path)) return `CHROMIUM is ${path}, which does not exist`;
    return chromium.launch({ executablePath: path, args: ['--no-sandbox', '--disable-gpu'] });
  }
  if (process.platform !== 'linux')
    return `no Chromium comes with npm for ${process.platform}; set CHROMIUM`;
  try {
    const { default: carried } = await import('@sparticuz/chromium');
    // With --single-process, closing a page would end the browser.
    const args = carried.args.filter((flag) => flag !== '--single-process');
    return await chromium.launch({ executablePath: await carried.executablePath(), args });
  } catch (cause) {
    return `Chromium did not start: ${(cause as Error).message.split('\n')[0]}`;
  }
}

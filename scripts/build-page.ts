import { builtSite } from '../src/site.ts';

/** Builds the trading page, for an installation without the build tools. */
const folder = await builtSite();
if (folder === undefined)
  throw new Error('the tools that build the page are not installed: npm ci');
console.log(folder);

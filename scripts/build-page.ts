import { builtSite } from '../src/site.ts';

/** Builds the trading page, for an install that will not have its tools. */
const folder = await builtSite();
if (folder === undefined)
  throw new Error('the tools that build the page are not installed: npm ci');
console.log(folder);

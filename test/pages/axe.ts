import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Locator, Page } from 'playwright-core';

type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };
type AxeWindow = {
  readonly axe?: { run(options: object): Promise<{ readonly violations: readonly Violation[] }> };
};

let source: string | undefined;

/** Evaluated from outside: the page's own policy does not allow external scripts. */
async function bringAxe(page: Page): Promise<void> {
  if (await page.evaluate(() => (globalThis as AxeWindow).axe !== undefined)) return;
  source ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(`(() => { ${source}\n })()`);
}

/** Every finding of axe, and horizontal scrolling. */
export async function findingsOf(page: Page, where: string): Promise<string[]> {
  await bringAxe(page);
  const violations = await page.evaluate(async () => {
    const found = await (globalThis as AxeWindow).axe?.run({ resultTypes: ['violations'] });
    return (found?.violations ?? []).map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html }) => ({ html })),
    }));
  });
  return [
    ...violations.map(({ id, nodes }) => `${where}: ${id}: ${nodes[0]?.html.slice(0, 160)}`),
    ...(await sidewaysAt(page, where)),
  ];
}

/** This text, wherever the route shows it at this width. */
export const visibleIn = (page: Page, words: string | RegExp): Locator =>
  page.getByRole('main').getByText(words).filter({ visible: true }).first();

export async function sidewaysAt(page: Page, where: string): Promise<string[]> {
  const sideways = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  return sideways === 0 ? [] : [`${where}: scrolls sideways by ${sideways}`];
}

/** With this theme and width; the page updates what it measures itself in the next frame. */
export async function lookAs(page: Page, theme: 'dark' | 'light', width: number): Promise<string> {
  await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
  await page.setViewportSize({ width, height: width < 720 ? 780 : 900 });
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  );
  return `${theme} ${width}`;
}

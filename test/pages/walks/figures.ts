import { expect, test } from 'vitest';
import { tap } from '../line.ts';
import { BTC, markOf, sharedVenue } from '../shared-venue.ts';
import { eventually, signIn } from '../venue.ts';

/** The same figure in several places. */

test('a liquidation price beyond the chart is the one of the table: cut, not rounded', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const mark = await markOf(at);
  const { page, faults } = await at.open('/settings');
  const line = await tap(page);
  await page.goto(`${at.baseUrl}/`);
  await signIn(page);
  await page.locator('.legend').waitFor();
  const row = page.getByRole('table', { name: 'Positions' }).getByRole('row', { name: /BTC/ });
  const figures = async (): Promise<string> => {
    // Again each time: the page reads its positions from the venue, too.
    line.say({
      ...{ table: 'position', channel: 'position:all', seq: 1e15, snapshot: true },
      data: [
        {
          ...{ instrumentId: BTC, quantity: '0.5', entryPrice: String(mark), positionPnl: '0' },
          estLiquidationPrice: '41234.9',
        },
      ],
    });
    const texts = [
      ...(await row.allInnerTexts()),
      ...(await page.locator('.edge').allInnerTexts()),
    ];
    return texts.flatMap((text) => text.match(/41,23\d/g) ?? []).join(' ');
  };
  await eventually(figures).toBe('41,234 41,234');
  expect(faults).toEqual([]);
  await page.context().close();
});

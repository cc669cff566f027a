/** The tour of who opens the window for the first time: a real rehearsal, from its first hint to its last, without a mouse. */
import { expect, type Locator, type Page } from '@playwright/test';
import { test, waitForState } from './launch.ts';

/** The part of the window that has the keyboard. */
function regionOf(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.activeElement?.closest<HTMLElement>('[data-region]')?.dataset['region']);
}

/** Goes on with a key until a button has the keyboard, as somebody does who reads what is focused. */
async function goTo(key: 'Tab' | 'F6', button: Locator): Promise<void> {
  await expect(button).toBeVisible();
  for (let presses = 0; presses < 100; presses += 1) {
    if (await button.evaluate((element) => element === document.activeElement)) return;
    await button.page().keyboard.press(key);
  }
  await expect(button).toBeFocused();
}

test('the tour goes along with a first rehearsal, by keyboard alone, and ends at one’s own sheet', async ({ open }) => {
  test.slow();
  const launched = await open(2);
  const { page, ask, hurry } = launched;
  const hint = page.getByTestId('tour-hint');
  const button = (name: string): Locator => page.getByRole('main').getByRole('button', { name });
  const expectHint = async (step: string): Promise<void> => {
    await expect(hint).toHaveAttribute('data-step', step);
    // It is said once, politely, and takes the focus from nobody.
    await expect(page.getByRole('status').filter({ hasText: await hint.locator('p').innerText() })).toHaveCount(1);
  };
  await page.setViewportSize({ width: 900, height: 600 });

  // It is offered, and on in the very first rehearsal.
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await goTo('Tab', button('Rehearse with the built-in gateway'));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('checkbox', { name: 'Show me around' })).toBeChecked();
  await goTo('Tab', button('A night of 60 rows'));
  await page.keyboard.press('Enter');

  // The sheet. What lies below a hint is still reached by the pointer.
  await expectHint('rows');
  expect(await regionOf(page)).toBe('screen');
  const isInTheWay = await hint.evaluate((element) => {
    const { left, top, width, height } = element.querySelector('p')?.getBoundingClientRect() ?? new DOMRect();
    return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
  expect(isInTheWay).toBe(false);
  await goTo('F6', hint.getByRole('button', { name: 'Next' }));
  expect(await regionOf(page)).toBe('hint');
  await page.keyboard.press('Enter');
  await expectHint('problems');
  await expect(hint).toBeInViewport({ ratio: 1 });
  expect(await regionOf(page)).toBe('hint');
  await page.keyboard.press('Enter');
  await expectHint('start');

  // The night, which goes on over a reload as the tour does.
  await page.keyboard.press('Control+Enter');
  await expectHint('night');
  await expect.poll(() => regionOf(page)).toBe('grid');
  await page.reload();
  await expectHint('night');
  await expect.poll(() => regionOf(page)).toBe('grid');

  // What is open beside the grid answers Escape itself, wherever in it the keyboard is.
  await page.keyboard.press('Control+i');
  await goTo('F6', page.getByTestId('inspector'));
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('inspector')).toBeHidden();
  await expectHint('night');
  await page.keyboard.press('Control+f');
  await goTo('Tab', page.getByTestId('find-panel').getByRole('button', { name: 'Close' }));
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('find-panel')).toBeHidden();
  await expectHint('night');

  // The morning: the hint of the night is passed over.
  await hurry('engine', 60);
  const [batch] = await ask('batch.list');
  await waitForState(launched, batch?.id ?? '', 'finished');
  await expectHint('fallen');
  // The grid answers the first Escape itself: it leaves the keyboard to what stands above it.
  await page.keyboard.press('Escape');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expectHint('fallen');
  await goTo('F6', hint.getByRole('button', { name: 'Next' }));
  await page.keyboard.press('Enter');
  await expectHint('ledger');

  // What the user does is passed over.
  await goTo('Tab', button('Ledger'));
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('ledger-screen')).toBeVisible();
  await expect(hint).toBeHidden();
  await goTo('Tab', button('Open the batch'));
  await page.keyboard.press('Enter');
  await expectHint('review');
  await expect.poll(() => regionOf(page)).toBe('grid');
  await page.keyboard.press('F8');
  await expect(page.getByTestId('review')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('review')).toBeHidden();
  await expectHint('own');
  await expect.poll(() => regionOf(page)).toBe('grid');

  // The last one gives the keyboard back.
  await goTo('F6', hint.getByRole('button', { name: 'End the tour' }));
  await page.keyboard.press('Enter');
  await expect(hint).toBeHidden();
  await expect.poll(() => regionOf(page)).not.toBe('hint');
  expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true);

  // It begins again from the help, and is left for good.
  await goTo('Tab', page.getByRole('button', { name: 'Help', exact: true }));
  await page.keyboard.press('Enter');
  await goTo('Tab', button('Show me around'));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('checkbox', { name: 'Show me around' })).toBeChecked();
  await goTo('Tab', button('A sheet full of mistakes'));
  await page.keyboard.press('Enter');
  await expectHint('rows');
  await page.keyboard.press('Escape');
  await expect(hint).toBeHidden();
  await expect(page.getByText('“Show me around”, in Help, starts it again.', { exact: true })).toBeVisible();
  await page.reload();
  // The sheet is open again.
  await expect(page.getByRole('heading', { level: 1, name: 'Every kind of mistake' })).toBeFocused();
  for (let presses = 0; presses < 10 && (await regionOf(page)) !== 'side'; presses += 1)
    await page.keyboard.press('F6');
  await goTo('Tab', page.getByRole('button', { name: 'Welcome', exact: true }));
  await page.keyboard.press('Enter');
  await goTo('Tab', button('Rehearse with the built-in gateway'));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('checkbox', { name: 'Show me around' })).not.toBeChecked();
});

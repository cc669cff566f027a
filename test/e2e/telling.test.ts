/** The user is told of a night by ways that are set and tried in the window, and stops what would follow it. */
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { answerQuestions, newFolder, questionsOf, test } from './launch.ts';
import { startNight } from './whole-night.ts';

const SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
/** Its film lasts: the second batch begins before the first has ended, and the two are one night. */
const SHEET = { name: 'A secret film', text: 'row,operation,prompt\na,video-a,A secret film\nb,lyrics,Snow\n' };

test('ways are set, tried and used once for a night of two batches, and its end is called off', async ({ open }) => {
  const got: { readonly path: string; readonly headers: Record<string, unknown>; readonly body: string }[] = [];
  let status = 403;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      got.push({ path: request.url ?? '', headers: request.headers, body });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const launched = await open();
    const { app, page, ask, dataFolder } = launched;
    await page.getByRole('button', { name: 'Settings' }).first().click();
    await page
      .getByRole('navigation', { name: 'Parts of the settings' })
      .getByRole('button', { name: 'Notifications' })
      .click();

    const ntfy = page.getByTestId('way-ntfy');
    await ntfy.getByLabel('ntfy address').fill('http://ntfy.sh/nights');
    await expect(ntfy.getByText('must start with https://')).toBeVisible();
    await ntfy.getByLabel('ntfy address').fill(`${at}/nights`);
    await ntfy.getByLabel('Access token').fill('tk_of_the_topic');
    await ntfy.getByRole('button', { name: 'Save' }).click();
    await ntfy.getByRole('button', { name: 'Send a test' }).click();
    await expect(ntfy.getByRole('status')).toHaveText('Not sent: refused with HTTP 403');
    status = 200;
    await ntfy.getByRole('button', { name: 'Send a test' }).click();
    await expect(ntfy.getByRole('status')).toHaveText('Sent: accepted with HTTP 200');
    expect(got.map(({ headers }) => headers['authorization'])).toEqual(Array(2).fill('Bearer tk_of_the_topic'));

    const webhook = page.getByTestId('way-webhook');
    await webhook.getByLabel('Webhook address').fill(`${at}/hook`);
    await webhook.getByLabel('Signing secret').fill(SECRET);
    await webhook.getByRole('button', { name: 'Save' }).click();
    await expect(webhook.getByRole('button', { name: 'Send a test' })).toBeVisible();

    await answerQuestions(app, 'Cancel');
    const told = join(newFolder('told'), 'told.jsonl');
    const program = ['/bin/sh', '-c', 'cat >> "$0"', told];
    const command = page.getByTestId('way-command');
    await command.getByLabel('Program and its arguments, one per line').fill(program.join('\n'));
    await command.getByRole('button', { name: 'Save…' }).click();
    await expect.poll(() => questionsOf(app)).toEqual(['Run this program when a night ends or needs you?']);
    expect((await ask('presence.get')).telling.command.argv).toEqual([]);
    await answerQuestions(app, 'Run it');
    await expect(command.getByRole('button', { name: 'Save…' })).toBeEnabled();
    await command.getByRole('button', { name: 'Save…' }).click();
    await expect.poll(() => questionsOf(app)).toHaveLength(2);
    await expect(command.getByRole('button', { name: 'Send a test' })).toBeVisible();
    const settings = readFileSync(join(dataFolder, 'settings.json'), 'utf8');
    expect(settings).toContain(`${at}/nights`);
    expect(settings).not.toMatch(/tk_of|whsec_/u);

    got.length = 0;
    await startNight(launched, newFolder('a'), SHEET);
    await startNight(launched, newFolder('b'), SHEET);
    // While the second is at work: where the first had ended long before, its start would have called it off.
    await ask('presence.set', { afterNight: 'quit' });
    const warning = page.getByRole('alertdialog', { name: 'The night is over' });
    await expect(warning.getByText('Nocturne quits in')).toBeVisible({ timeout: 120_000 });
    await warning.getByRole('button', { name: 'Call it off' }).click();
    await expect(warning).toBeHidden();
    expect((await ask('presence.get')).afterNight).toBe('nothing');

    await expect.poll(() => got.map(({ path }) => path).toSorted()).toEqual(['/hook', '/nights']);
    const hook = got.find(({ path }) => path === '/hook') ?? got[0];
    if (hook === undefined) throw new Error('The webhook got nothing.');
    const signed = `${String(hook.headers['webhook-id'])}.${String(hook.headers['webhook-timestamp'])}.${hook.body}`;
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    const signature = createHmac('sha256', key).update(signed).digest('base64');
    expect(hook.headers['webhook-signature']).toBe(`v1,${signature}`);
    expect(JSON.parse(hook.body)).toMatchObject({ type: 'night.ended', data: { batches: 2, takes: { done: 4 } } });
    expect(readFileSync(told, 'utf8').trim().split('\n')).toHaveLength(1);
    for (const text of [JSON.stringify(got), readFileSync(told, 'utf8')])
      expect(text).not.toMatch(/secret|film|snow/iu);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

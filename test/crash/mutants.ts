/**
 * Deliberate faults. Each makes the engine break one promise that a test without kills would hardly notice; a crash
 * test that does not find all of them proves nothing about the sound engine.
 */
import type { DeliberateFault } from '../support/patch-modules.ts';
import type { DeathPoint } from './child-protocol.ts';
import type { OracleName } from './oracle.ts';
import type { RecipeName } from './recipes.ts';

/** A kind of night in which a mutant must be found, and where it is made to die, one life after the other. */
export interface MutantTrial {
  readonly recipe: RecipeName;
  readonly foundBy: OracleName;
  readonly deaths: readonly { readonly point: DeathPoint; readonly pass: number }[];
}

export interface Mutant extends DeliberateFault {
  /** Found by the gateway's charges and files. */
  readonly trial?: MutantTrial;
  /** Found by the order of the system calls: otherwise only a loss of power would show it. */
  readonly isTraced?: boolean;
}

const POST = 'await gateway.submit(call)';
const SENT = `const came = notNow === undefined ? ${POST} : undefined;`;

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'claim committed after the POST',
    patches: [
      {
        module: 'night/submit-step.ts',
        find: '  await commitAndSend(night, prepared);',
        replace: `
    const fresh = prepared.filter(({ task }) => !posted.has(task.id));
    if (fresh.length > 0) night.track(fresh[0].batch, (async () => {
      await Promise.all(fresh.map(({ task, gateway, body }) => {
        posted.set(task.id, gateway.submit({ operation: task.operation, body }));
        return posted.get(task.id);
      }));
      await commitAndSend(night, fresh);
    })());`,
      },
      {
        module: 'night/submits/send-submits.ts',
        find: SENT,
        replace: 'const came = await posted.get(task.id); posted.delete(task.id);',
      },
      // Both modules use it.
      {
        module: 'night/submits/send-submits.ts',
        find: 'const KEY_REPLACED:',
        replace: 'globalThis.posted = new Map(); const KEY_REPLACED:',
      },
    ],
    trial: {
      recipe: 'plain',
      foundBy: 'duplicate charge',
      deaths: [
        { point: 'submit.bytes-left', pass: 1 },
        { point: 'submit.bytes-left', pass: 2 },
      ],
    },
    isTraced: true,
  },
  {
    name: 'resend at start-up',
    patches: [
      {
        module: 'night/night-end.ts',
        find: "event: { kind: 'outcome-unknown', failure: why, ...present({ again }) },",
        replace: "event: { kind: 'not-sent', failure: why, dueAt: now },",
      },
    ],
    trial: {
      recipe: 'plain',
      foundBy: 'duplicate charge',
      deaths: [
        { point: 'submit.bytes-left', pass: 1 },
        { point: 'submit.answered', pass: 1 },
      ],
    },
  },
  {
    name: 'interrupted submit called failed',
    patches: [
      {
        module: 'night/night-end.ts',
        find: "event: { kind: 'outcome-unknown', failure: why, ...present({ again }) },",
        replace: "event: { kind: 'rejected', failure: why },",
      },
    ],
    trial: { recipe: 'plain', foundBy: 'lost row', deaths: [{ point: 'submit.bytes-left', pass: 1 }] },
  },
  {
    name: 'unblocks before the source is done',
    patches: [
      {
        module: 'night/row-source.ts',
        find: "if (task.status === 'done')",
        replace: 'if (task.taskCode !== undefined)',
      },
      {
        module: 'night/row-links.ts',
        find: 'return TERMINAL_STATUSES.has(task.status) ||',
        replace: "return TERMINAL_STATUSES.has(task.status) || kind === 'accepted' ||",
      },
    ],
    trial: { recipe: 'slow-song', foundBy: 'early charge', deaths: [] },
  },
  {
    name: 'submits the unresolved text',
    patches: [
      {
        module: 'night/submits/prepare-body.ts',
        find: 'if (links.length === 0) return',
        replace: 'if (links !== undefined) return',
      },
    ],
    trial: { recipe: 'chained', foundBy: 'foreign charge', deaths: [] },
  },
  {
    name: 'forgets after a kill what waits for a row',
    patches: [
      {
        module: 'night/row-links.ts',
        find: 'for (const rowId of await this.#store.rowsWaitedFor(batchId))',
        replace: 'for (const rowId of [])',
      },
    ],
    trial: {
      recipe: 'slow-song',
      foundBy: 'lost row',
      deaths: [{ point: 'link.before-commit', pass: 1 }],
    },
  },
  {
    name: 'automatic retry of a lost POST',
    patches: [
      {
        module: 'night/submits/send-submits.ts',
        find: SENT,
        replace: `let came = ${POST}; if (came.raw === undefined) came = ${POST};`,
      },
    ],
    trial: { recipe: 'lost-answers', foundBy: 'duplicate charge', deaths: [] },
  },
  {
    name: 'write straight to the final name',
    patches: [
      {
        module: 'media-folder/fetch/part-file.ts',
        find: 'return `${id}.${generation}.part`;',
        replace: 'return `row1-${id}-${generation}.wav`;',
      },
    ],
    trial: {
      recipe: 'one-changing-song',
      foundBy: 'wrong file',
      deaths: [{ point: 'download.bytes-written', pass: 1 }],
    },
  },
  {
    name: 'resume without If-Range',
    patches: [
      {
        module: 'media-folder/fetch/receive-part.ts',
        find: "range: `bytes=${order.resume.bytes}-`, 'if-range': order.resume.validator }",
        replace: 'range: `bytes=${order.resume.bytes}-` }',
      },
      {
        module: 'media-folder/fetch/receive-part.ts',
        find: 'strongETag(answer.headers) === resume.validator &&',
        replace: '',
      },
    ],
    trial: { recipe: 'one-changing-song', foundBy: 'wrong file', deaths: [] },
  },
  {
    name: 'new validator saved before truncation',
    patches: [
      {
        module: 'media-folder/fetch/part-file.ts',
        find: 'return `${id}.${generation}.part`;',
        replace: 'return `${id}.${Math.min(generation, 1)}.part`;',
      },
    ],
    trial: {
      recipe: 'one-changing-song',
      foundBy: 'wrong file',
      deaths: [{ point: 'download.generation-committed', pass: 2 }],
    },
  },
  {
    name: 'placing forgotten at start-up',
    patches: [
      {
        module: 'media-folder/place-file.ts',
        find: 'if (placement === undefined) return undefined;',
        replace: 'if (placement !== null) return undefined;',
      },
      // Nor is it known when a name is looked up again.
      {
        module: 'media-folder/place-file.ts',
        find: 'const wasOurs = committed?.path',
        replace: 'const wasOurs = committed?.kind',
      },
    ],
    trial: { recipe: 'plain', foundBy: 'wrong file', deaths: [{ point: 'place.linked', pass: 1 }] },
  },
  {
    name: 'redirect followed with the key',
    patches: [
      {
        module: 'gateway/undici-media-gateway.ts',
        find: "    const { raw, cost, sight, ...rest } = await this.#read(came, '');",
        replace: `    if (came.raw.headers.location !== undefined) {
      const headers = { aiKey: key, 'content-type': 'application/json' };
      await fetch(came.raw.headers.location, { method: 'POST', headers, body: call.body });
    }
    const { raw, cost, sight, ...rest } = await this.#read(came, '');`,
      },
    ],
    trial: { recipe: 'redirected-submits', foundBy: 'leaked key', deaths: [] },
  },
  {
    name: 'sent again under another key',
    patches: [
      {
        module: 'night/charges/ask-again.ts',
        find: 'body, idempotency, again: { until: again.until }, mayLeave }',
        replace:
          'body, idempotency: { ...idempotency, key: `${idempotency.key}-2` }, again: { until: again.until }, mayLeave }',
      },
    ],
    trial: { recipe: 'keyed', foundBy: 'duplicate charge', deaths: [] },
  },
  {
    name: 'sent again with other bytes',
    patches: [
      {
        module: 'night/charges/ask-again.ts',
        find: 'operation: task.operation, body, idempotency,',
        replace: 'operation: task.operation, body: Buffer.concat([body, Buffer.from(" ")]), idempotency,',
      },
    ],
    trial: { recipe: 'keyed', foundBy: 'foreign charge', deaths: [] },
  },
  {
    name: 'sent again after the gateway has forgotten the key',
    patches: [
      {
        module: 'night/charges/asks.ts',
        find: 'keptUntil(firstAt, idempotency.keepHours)',
        replace: 'keptUntil(firstAt, 24)',
      },
      { module: 'night/charges/ask-again.ts', find: 'night.clock.now() >= until ?', replace: 'until < 0 ?' },
    ],
    trial: { recipe: 'forgotten-key', foundBy: 'duplicate charge', deaths: [] },
  },
  {
    name: 'synchronous not restored at the second open',
    patches: [
      {
        module: 'store/open/open-database.ts',
        find: 'const unsafe = makeDurable(db, path);',
        replace: 'const unsafe = isNew ? makeDurable(db, path) : undefined;',
      },
      {
        module: 'store/open/open-database.ts',
        find: 'const changed = checkDurable(db, path);',
        replace: 'const changed = undefined;',
      },
    ],
    isTraced: true,
  },
  {
    name: 'short file not synced before it is called done',
    patches: [{ module: 'media-folder/thread/file-steps.ts', find: 'fsyncSync(file);', replace: '' }],
    isTraced: true,
  },
  {
    name: 'streamed file not synced before it is called done',
    patches: [{ module: 'media-folder/fetch/part-file.ts', find: 'await part.sync();', replace: '' }],
    isTraced: true,
  },
  {
    name: 'folder not synced before a short file is called done',
    patches: [{ module: 'whole-file.ts', find: 'fsyncSync(folder);', replace: '' }],
    isTraced: true,
  },
  {
    name: 'folder not synced before a streamed file is called done',
    patches: [{ module: 'whole-file.ts', find: 'await folder.sync();', replace: '' }],
    isTraced: true,
  },
];

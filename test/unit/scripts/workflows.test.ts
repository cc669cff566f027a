import { readFileSync, readdirSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parse } from 'yaml';

// It imports its schema without saying that it is JSON, which Node refuses.
registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
});
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await import('@actions/workflow-parser');

const ROOT = join(import.meta.dirname, '../../..');
const FOLDER = join(ROOT, '.github/workflows');
const WORKFLOWS = readdirSync(FOLDER).map((name) => ({ name, text: readFileSync(join(FOLDER, name), 'utf8') }));

const step = z.object({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
});
const anyJob = { permissions: z.record(z.string(), z.string()), needs: z.string().optional() };
const ownJob = z.object({ ...anyJob, 'timeout-minutes': z.int().max(90), steps: z.array(step).min(1) });
/** The jobs of another workflow of ours, whose own jobs end by themselves; a secret is handed to none. */
const calledJob = z.strictObject({
  ...anyJob,
  name: z.string(),
  uses: z
    .string()
    .refine((path) => WORKFLOWS.some((one) => path === `./.github/workflows/${one.name}` && isCalled(one))),
});
/** What this house asks for beyond the format: no right by default, and an end to every job. */
const ourWorkflow = z.object({
  permissions: z.strictObject({}),
  jobs: z.record(z.string(), z.union([ownJob, calledJob])),
});

function isCalled({ text }: { readonly text: string }): boolean {
  return z.object({ on: z.object({ workflow_call: z.null() }) }).safeParse(parse(text)).success;
}

function jobsOf(text: string): z.infer<typeof ourWorkflow>['jobs'] {
  return ourWorkflow.parse(parse(text)).jobs;
}

function stepsOf(text: string): readonly z.infer<typeof step>[] {
  return Object.values(jobsOf(text)).flatMap((job) => ('steps' in job ? job.steps : []));
}

/** What the format's own parser has to say, and the model that it makes of it. */
async function lint(name: string, content: string): Promise<readonly string[]> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  if (value !== undefined && context.errors.count === 0) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(String);
}

test.each([
  ['a key that does not exist', 'on: push\njobs:\n  a:\n    runs-on: x\n    step:\n      - run: true\n'],
  [
    'an expression that does not end',
    'on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: ${{ github.ref(\n',
  ],
  [
    'a context that does not exist',
    'on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: ${{ nonsense.a }}\n',
  ],
  ['a job that does not exist', 'on: push\njobs:\n  a:\n    runs-on: x\n    needs: b\n    steps:\n      - run: true\n'],
  [
    'a right that does not exist',
    'on: push\npermissions:\n  anything: write\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: true\n',
  ],
])('the parser of workflows finds %s', async (_what, text) => {
  await expect(lint('broken.yml', text)).resolves.not.toEqual([]);
});

describe.each(WORKFLOWS)('the workflow $name', ({ name, text }) => {
  test('is what the format allows, grants no right by default, and every job of it ends', async () => {
    await expect(lint(name, text)).resolves.toEqual([]);
    expect(ourWorkflow.safeParse(parse(text)).error).toBeUndefined();
  });

  test('pins every action by its commit, with the version beside it', () => {
    const used = text.split('\n').filter((line) => /^\s*(?:- )?uses: (?!\.\/)/u.test(line));
    expect(used).toHaveLength(stepsOf(text).filter(({ uses }) => uses !== undefined).length);
    for (const line of used) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/u);
  });

  test('leaves no token behind, puts no foreign words into a command, and runs scripts that exist', () => {
    const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8');
    const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(manifest));
    for (const { uses = '', run = '', with: given = {} } of stepsOf(text)) {
      if (uses.startsWith('actions/checkout@')) expect(given).toMatchObject({ 'persist-credentials': false });
      expect(run).not.toContain('${{');
      for (const [, script = ''] of run.matchAll(/npm run ([\w:-]+)/gu)) expect(scripts).toHaveProperty([script]);
    }
  });
});

test('Linux runs the very commands of .ci/run', () => {
  const check = WORKFLOWS.find(({ name }) => name === 'check.yml');
  expect(stepsOf(check?.text ?? '').map(({ run }) => run)).toContain('sh .ci/run');
});

test('nothing is packaged or released of a tag whose checks fail', () => {
  const jobs = jobsOf(WORKFLOWS.find(({ name }) => name === 'release.yml')?.text ?? '');
  const waitsForChecks = (name: string): boolean => {
    const job = jobs[name];
    if (job === undefined) return false;
    return 'uses' in job ? job.uses === './.github/workflows/check.yml' : waitsForChecks(job.needs ?? '');
  };
  expect(Object.keys(jobs).filter((name) => !waitsForChecks(name))).toEqual([]);
});

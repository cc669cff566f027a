import type { DeliberateFault } from '../../support/patch-modules.ts';

/** Bugs with what may leave at once and at all: places, pace, budgets and limits of spending. */
export const OF_LIMITS: readonly DeliberateFault[] = [
  {
    name: 'places are counted without those that were given in the same turn',
    patches: [
      {
        module: 'night/submits/choose-submits.ts',
        find: ' - most - (given.get(family) ?? 0);',
        replace: ' - most;',
      },
    ],
  },
  {
    name: 'submits take nothing from the budget of requests',
    patches: [
      {
        module: 'night/submits/choose-submits.ts',
        find: '  if (!lane.budget.tryTake(night.clock.monotonic(), places.requests(lane))) return false;\n',
        replace: '',
      },
    ],
  },
  {
    name: 'a cap counts what was used when the batch was first looked at',
    patches: [
      {
        module: 'night/spending/caps.ts',
        find: 'return new Caps(night, await night.store.spending(night.clock.now(), ids));',
        replace: `
    const fresh = await night.store.spending(night.clock.now(), ids);
    night.first ??= new Map();
    for (const [id, { spent }] of fresh.batches) if (!night.first.has(id)) night.first.set(id, spent);
    const batches = [...fresh.batches].map(([id, one]) => [id, { ...one, spent: night.first.get(id) }]);
    return new Caps(night, { ...fresh, batches: new Map(batches) });`,
      },
    ],
  },
  {
    name: 'what is chosen in a tick takes no room of a limit',
    patches: [
      {
        module: 'night/spending/caps.ts',
        find: 'this.#chosen.push({ batch, account, operation, price, charges });',
        replace: '',
      },
    ],
  },
  {
    name: 'a request counts against a limit once it is answered',
    patches: [
      {
        module: 'store/tasks/kept-charges.ts',
        find: "const MAY_BE_CHARGED = `coalesce(attempts.outcome, '')",
        replace: 'const MAY_BE_CHARGED = `attempts.outcome',
      },
    ],
  },
  {
    name: 'a gateway that asks for a wait is asked all the same',
    patches: [
      {
        module: 'night/lanes.ts',
        find: 'this.#holdUntil = Math.max(this.#holdUntil, now + delay);',
        replace: 'this.#holdUntil = Math.max(this.#holdUntil, now + delay * 0);',
      },
    ],
  },
  {
    name: 'a paid request waits for two rights',
    patches: [
      {
        module: 'night/submits/choose-submits.ts',
        find: 'lane.budget.available(this.#night.clock.monotonic()));',
        replace: 'lane.budget.available(this.#night.clock.monotonic()) - 1);',
      },
    ],
  },
  {
    name: 'a task counts where the first account of its batch is',
    patches: [
      {
        module: 'night/scheduler.ts',
        find: '(task) => this.#batches.all.get(task.batchId)?.accountOf(task).lane',
        replace: '(task) => this.#batches.all.get(task.batchId)?.accounts[0].lane',
      },
    ],
  },
  {
    name: 'what was sent with an account before counts nothing towards its limit',
    patches: [
      {
        module: 'night/spending/caps.ts',
        find: 'known?.accounts?.get(account.account.name)?.spent ?? NOTHING_SPENT',
        replace: 'NOTHING_SPENT',
      },
    ],
  },
  {
    name: 'a limit in a currency in which nothing has a price holds nothing back',
    patches: [
      {
        module: 'night/spending/caps.ts',
        find: '    return caps.map((cap) => {\n      const { cost } = cap.limit;',
        replace:
          '    const isHeld = ({ limit: { cost } }) => cost === undefined || cost.currency === "EUR";\n' +
          '    return caps.filter(isHeld).map((cap) => {\n      const { cost } = cap.limit;',
      },
    ],
  },
  {
    name: 'a limit of all batches that is changed is not stored',
    patches: [
      {
        module: 'night/spending/night-limits.ts',
        find: 'await this.#store.setSpendingLimits(limits);',
        replace:
          'if (limits.night === undefined && limits.month === undefined) await this.#store.setSpendingLimits(limits);',
      },
    ],
  },
];

import type { Operation } from '../../shared/domain/operations/operations.ts';
import type { FaultAt, FaultMoment, FaultRule } from './fault-rules.ts';
import { SeededRandom } from '../random.ts';

interface CountedRule {
  readonly rule: FaultRule;
  calls: number;
  fired: number;
}

/** Decides which call gets which fault. */
export class FaultBook {
  readonly #rules: readonly CountedRule[];
  readonly #seed: number;

  constructor(rules: readonly FaultRule[], seed: number) {
    this.#rules = rules.map((rule) => ({ rule, calls: 0, fired: 0 }));
    this.#seed = seed;
  }

  /**
   * The first rule that fires on this call. `identity` identifies the call (for this task, the third time), so that a
   * probability gives the same result in every run, whatever the order of concurrent calls.
   */
  draw<M extends FaultMoment>(when: M, operation: Operation, identity: string): FaultAt<M> | undefined {
    let met: FaultAt<M> | undefined;
    for (const [index, counted] of this.#rules.entries()) {
      const { rule } = counted;
      if (!strikesAt(rule, when) || !concerns(rule, operation)) continue;
      counted.calls += 1;
      if (met || (rule.times !== undefined && counted.fired >= rule.times)) continue;
      if (!this.#fires(counted, index, identity)) continue;
      counted.fired += 1;
      met = rule;
    }
    return met;
  }

  #fires({ rule, calls }: CountedRule, index: number, identity: string): boolean {
    if (rule.nth?.includes(calls)) return true;
    if (rule.probability !== undefined) return new SeededRandom(this.#seed, index, identity).next() < rule.probability;
    return rule.nth === undefined;
  }
}

function strikesAt<M extends FaultMoment>(rule: FaultRule, when: M): rule is FaultAt<M> {
  return rule.when === when;
}

function concerns(rule: FaultRule, operation: Operation): boolean {
  return rule.operations?.some((scope) => scope === operation.path || scope === operation.family) ?? true;
}

import type { Failure } from '../../../shared/domain/base/failure.ts';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import type { Account } from '../../../shared/domain/task/accounts/account.ts';
import type { Profile } from '../../../shared/domain/gateway/profile.ts';
import type { MediaGateway } from '../../ports/media-gateway.ts';
import type { Lane, LaneRight, Lanes } from '../lanes.ts';

/** An account as one batch of this night uses it. */
export class NightAccount {
  /** Its name in a batch with several accounts; undefined in all others. */
  readonly name: string | undefined;
  /** Unknown submit outcomes in succession. */
  unknownInARow = 0;
  /** The tasks whose requests were sent again in succession and got no answer either. */
  readonly asksInVain = new Set<number>();
  /**
   * When it was last impossible to ask about a due task, by the monotonic clock: during a pause, or without a key that
   * the gateway takes. The deadlines of one account say nothing about another, which may have been asked all the time.
   */
  unaskedAt = Number.NEGATIVE_INFINITY;
  /** Why nothing fits into what the limits leave for it; undefined while something may. */
  noRoom: Failure | undefined;
  /** Operations that do not fit into that, while others may. */
  dear: readonly OperationPath[] = [];
  /** Why these do not fit, if nothing under way may change that. */
  whyDear: Failure | undefined;
  readonly #lanes: Lanes;
  #account: Account;

  constructor(account: Account, lanes: Lanes, isOneOfSeveral: boolean) {
    this.name = isOneOfSeveral ? account.name : undefined;
    this.#account = account;
    this.#lanes = lanes;
  }

  /** The account as its batch has it now: profile and limit may be corrected. */
  get account(): Account {
    return this.#account;
  }

  /** Takes over what the user has corrected. What did not fit before may fit now: the next look decides. */
  correct(account: Account): void {
    this.#account = account;
    [this.noRoom, this.dear, this.whyDear] = [undefined, [], undefined];
  }

  get profile(): Profile {
    return this.#account.profile;
  }

  get gateway(): MediaGateway {
    return this.#lanes.gatewayOf(this.#account);
  }

  /** What the account shares with all batches that use its gateway and key. */
  get lane(): Lane {
    return this.#lanes.laneOf(this.#account);
  }

  /** The right to use the account now; undefined while another process has it, or nobody does. */
  get right(): LaneRight | undefined {
    const { right } = this.lane;
    return right?.isHeld() === true ? right : undefined;
  }
}

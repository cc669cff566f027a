import type { Task } from '../../../shared/domain/task/task.ts';
import type { Fence, FleetMember } from '../../ports/fleet.ts';
import type { Clock } from '../../ports/base.ts';
import { Alarm } from '../clock/steady-clock.ts';
import type { LaneRight } from '../lanes.ts';
import { holdsStill, leaseTimes, type HeldUntil, type LeaseTimes } from './lease-times.ts';

/** The right to fetch the files of one task, from when it is taken until it is given back or lost. */
export interface DownloadRight extends LaneRight {
  readonly fence: Fence;
  /** Aborted once it is lost. */
  readonly lost: AbortSignal;
}

interface Held extends HeldUntil {
  readonly right: DownloadRight;
  readonly losing: AbortController;
}

export interface DownloadRightsOptions {
  readonly member: FleetMember;
  readonly clock: Clock;
  readonly onTrouble: (error: unknown) => void;
  readonly track: (work: Promise<void>) => void;
}

/**
 * The downloads to which one of several workers has the right. Each right is a lease like that of an account, held only
 * while files are fetched: renewed in time, over here before it is over in the store, and given back at the end.
 */
export class DownloadRights {
  readonly #options: DownloadRightsOptions;
  readonly #times: LeaseTimes;
  readonly #held = new Map<string, Held>();
  readonly #renewAlarm: Alarm;
  readonly #endAlarm: Alarm;

  constructor(options: DownloadRightsOptions) {
    this.#options = options;
    this.#times = leaseTimes(options.member);
    this.#renewAlarm = new Alarm(options.clock, () => options.track(this.#renew()));
    this.#endAlarm = new Alarm(options.clock, () => this.#endOver());
  }

  /**
   * Takes the download of a task, and reads the task; undefined if another worker has it, or nothing is left to fetch.
   */
  async take(taskId: number): Promise<{ readonly right: DownloadRight; readonly task: Task } | undefined> {
    const { member, clock } = this.#options;
    const [asked, askedWall] = [clock.monotonic(), clock.now()];
    const claim = await member.leases.takeDownload(member.holder, taskId, this.#times.leaseMs);
    if (claim === undefined) return undefined;
    const { fence, task } = claim;
    const losing = new AbortController();
    const isHeld = (): boolean => !losing.signal.aborted && holdsStill(clock, held);
    const held: Held = {
      right: { fence, isHeld, lost: losing.signal },
      losing,
      until: asked + this.#times.rightMs,
      untilWall: askedWall + this.#times.rightMs,
    };
    this.#held.set(fence.account, held);
    this.#renewAlarm.set(this.#times.turnMs);
    this.#setEndAlarm();
    return { right: held.right, task };
  }

  /** Another worker has it, or may have it soon. */
  lose({ account, epoch }: Fence): void {
    const held = this.#held.get(account);
    if (held?.right.fence.epoch !== epoch) return;
    this.#held.delete(account);
    held.losing.abort();
  }

  /**
   * Gives the right back once nothing more is written under it. If the store does not answer, the right ends by itself.
   */
  async giveBack({ fence }: DownloadRight): Promise<void> {
    const { member, onTrouble } = this.#options;
    if (this.#held.get(fence.account)?.right.fence.epoch !== fence.epoch) return;
    this.#held.delete(fence.account);
    await member.leases.releaseDownloads(member.holder, [fence]).catch(onTrouble);
  }

  close(): void {
    this.#renewAlarm.stop();
    this.#endAlarm.stop();
  }

  async #renew(): Promise<void> {
    const { member, clock, onTrouble } = this.#options;
    const asking = [...this.#held.values()];
    if (asking.length === 0) return;
    const [asked, askedWall] = [clock.monotonic(), clock.now()];
    try {
      const fences = asking.map(({ right }) => right.fence);
      const left = await member.leases.renewDownloads(member.holder, fences, this.#times.leaseMs);
      const epochs = new Map(left.map(({ account, epoch }) => [account, epoch]));
      for (const held of asking) {
        const { fence } = held.right;
        if (epochs.get(fence.account) === fence.epoch) {
          held.until = asked + this.#times.rightMs;
          held.untilWall = askedWall + this.#times.rightMs;
        } else this.lose(fence);
      }
    } catch (error) {
      // What is not renewed in time ends by itself.
      onTrouble(error);
    }
    this.#endOver();
    if (this.#held.size > 0) this.#renewAlarm.set(this.#times.turnMs);
  }

  #endOver(): void {
    for (const { right } of this.#held.values()) if (!right.isHeld()) this.lose(right.fence);
    this.#setEndAlarm();
  }

  #setEndAlarm(): void {
    const ends = [...this.#held.values()].map(({ until }) => until);
    if (ends.length > 0) this.#endAlarm.set(Math.max(0, Math.min(...ends) - this.#options.clock.monotonic()));
  }
}

/** The gateways of the settings, and what can be done with each as a whole; each has its own name. */
import type { StoreApi } from 'zustand/vanilla';
import type { SavedGateway, SettingsView } from '../../shared/ipc/app.ts';
import type { Reply } from '../../shared/ipc/contract.ts';
import { words } from '../../shared/words/words.ts';
import type { IpcClient } from '../ipc-client.ts';
import type { AppState, Screen } from './app-state.ts';
import type { Notices } from './notices-store.ts';
import type { ProfileDrafts } from './profile-draft.ts';

export interface KeptGatewaysPorts {
  readonly ask: IpcClient['request'];
  readonly notices: Pick<Notices, 'show'>;
  readonly app: Pick<StoreApi<AppState>, 'setState'>;
  readonly drafts: ProfileDrafts;
  /** What the window shows now. */
  readonly screen: () => Screen | undefined;
  readonly go: (screen: Screen) => void;
}

export class KeptGateways {
  readonly #ports: KeptGatewaysPorts;

  constructor(ports: KeptGatewaysPorts) {
    this.#ports = ports;
  }

  /** Makes a gateway that leads nowhere yet, and shows it. */
  async create(): Promise<void> {
    this.#show(await this.#ports.ask('profile.create', {}));
  }

  /** Copies a gateway, and shows the copy. */
  async duplicate(profile: string): Promise<void> {
    this.#show(await this.#ports.ask('profile.duplicate', { profile }));
  }

  /** Takes a gateway from a file that the user chooses, and shows it. */
  async import(): Promise<void> {
    this.#show(await this.#ports.ask('profile.import'));
  }

  /** Makes it the gateway of later batches. */
  async use(profile: string): Promise<void> {
    this.#take(await this.#ports.ask('profile.use', { profile }));
  }

  /** False if it was refused. */
  async rename(profile: string, to: string): Promise<boolean> {
    const reply = await this.#ports.ask('profile.rename', { profile, to });
    if (!reply.ok) return false;
    this.#ports.drafts.rename(profile, to);
    this.saved(profile, { settings: reply.value, profile: to });
    return true;
  }

  /** A gateway was saved, perhaps under another name: its page follows. */
  saved(from: string, { settings, profile }: SavedGateway): void {
    const { app, screen, go } = this.#ports;
    app.setState({ settings });
    const shown = screen();
    if (shown?.kind === 'gateway' && shown.gateway === from && profile !== from) go({ ...shown, gateway: profile });
  }

  /** Asks, and removes a gateway with what was typed into it. */
  async remove(profile: string): Promise<void> {
    const reply = await this.#ports.ask('profile.remove', { profile });
    if (!reply.ok || reply.value === undefined) return;
    const shown = this.#ports.screen();
    if (shown?.kind === 'gateway' && shown.gateway === profile) this.#ports.go({ kind: 'settings', part: 'gateways' });
    this.#ports.drafts.forget(profile);
    this.#take(reply);
  }

  /** Writes a gateway's profile to a file that the user chooses. */
  async export(profile: string): Promise<void> {
    const reply = await this.#ports.ask('profile.export', { profile });
    if (!reply.ok || reply.value === undefined) return;
    const title = words.settings.gateways.isExported;
    this.#ports.notices.show({ level: 'info', title, message: reply.value.file });
  }

  #show(reply: Reply<SavedGateway | undefined>): void {
    if (!reply.ok || reply.value === undefined) return;
    const { settings, profile } = reply.value;
    this.#ports.app.setState({ settings });
    this.#ports.go({ kind: 'gateway', gateway: profile });
  }

  #take(reply: Reply<SettingsView | undefined>): void {
    if (reply.ok && reply.value !== undefined) this.#ports.app.setState({ settings: reply.value });
  }
}

import { Ellipsis, Copy, Download, FileUp, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { FAMILIES, FAMILY_NAMES, OPERATIONS } from '../../../shared/domain/operations/operations.ts';
import type { GatewayView, KeyStatus } from '../../../shared/ipc/app.ts';
import { words } from '../../../shared/words/words.ts';
import { Button, IconButton, PlainButton, useBusy } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { TextField } from '../../design/Field.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { Menu, MenuItem } from '../../design/Menu.tsx';
import { shownLine } from '../../format/shown-text.ts';
import { useApp, useAppModel } from '../../state/app-context.ts';
import { originOf } from '../../state/app-state.ts';
import styles from './GatewayList.module.css';

/** All gateways, each with what there is to know about it, and the way to its page. */
export function GatewayList() {
  const model = useAppModel();
  const settings = useApp((state) => state.settings);
  const key = useApp((state) => state.key);
  const [isBusy, run] = useBusy();
  if (settings === undefined) return null;
  const byName = settings.gateways.toSorted((a, b) => a.profile.localeCompare(b.profile, words.common.locale));
  return (
    <>
      <ul className="card">
        {byName.map((gateway) => (
          <li key={model.profileDrafts.idOf(gateway.profile)} className={joinClasses('row wrap', styles.line)}>
            <PlainButton
              className={joinClasses('stack grow', styles.open)}
              onClick={() => model.go({ kind: 'gateway', gateway: gateway.profile })}
            >
              <span className="name">{shownLine(gateway.profile)}</span>
              <span className="soft cut">{gatewayAddress(gateway)}</span>
              <span className="faint">
                {[keyOf(gateway, key), ...factsOf(gateway)].map((fact) => (
                  <span key={fact} className={styles.fact}>
                    {fact}
                  </span>
                ))}
              </span>
            </PlainButton>
            <GatewayActions gateway={gateway.profile} />
          </li>
        ))}
      </ul>
      <div className="row wrap">
        <Button icon={Plus} disabled={isBusy} onClick={() => run(() => model.gateways.create())}>
          {words.settings.gateways.new}
        </Button>
        <Button look="quiet" icon={FileUp} disabled={isBusy} onClick={() => run(() => model.gateways.import())}>
          {words.settings.gateways.import}
        </Button>
      </div>
    </>
  );
}

/** Where a gateway is. */
export function gatewayAddress({ baseUrl }: Pick<GatewayView, 'baseUrl'>): string {
  return baseUrl === '' ? words.settings.gateways.noAddress : shownLine(baseUrl);
}

function keyOf({ baseUrl }: GatewayView, key: KeyStatus | undefined): string {
  const origin = originOf(baseUrl);
  const kept = key?.kept.find((one) => one.origin === origin && one.name === undefined);
  if (key === undefined || kept === undefined) return words.settings.gateways.noKey;
  return words.settings.gateways.key(key.storage, kept.last4);
}

function factsOf({ atOnce, requestsPerSecond, priced, knownStatuses }: GatewayView): readonly string[] {
  const { limits, prices, statuses } = words.settings.gateways;
  const known = knownStatuses.map((family) => FAMILY_NAMES[family]);
  return [
    limits(atOnce.musicgen, atOnce['videogen-a'], atOnce['videogen-b'], requestsPerSecond),
    prices(priced, OPERATIONS.length),
    statuses(known.length === FAMILIES.length ? 'all' : known.length === 0 ? 'none' : known),
  ];
}

/** What can be done with a gateway as a whole: the same in the list and on its page. */
export function GatewayActions({ gateway }: { readonly gateway: string }) {
  const model = useAppModel();
  const settings = useApp((state) => state.settings);
  const [isBusy, run] = useBusy();
  const [isRenaming, setRenaming] = useState(false);
  const { renameIt, export: exportIt, delete: deleteIt, forNew, takeForNew, takeNamed, more } = words.settings.gateways;
  const isUsed = settings?.profileName === gateway;
  return (
    <div className={joinClasses('row', styles.actions)}>
      {isUsed ? (
        <span className={styles.used}>{forNew}</span>
      ) : (
        <Button
          size="small"
          disabled={isBusy}
          aria-label={takeNamed(shownLine(gateway))}
          onClick={() => run(() => model.gateways.use(gateway))}
        >
          {takeForNew}
        </Button>
      )}
      <Menu align="end" button={<IconButton icon={Ellipsis} label={more(shownLine(gateway))} disabled={isBusy} />}>
        <MenuItem icon={Pencil} onSelect={() => setRenaming(true)}>
          {renameIt}
        </MenuItem>
        <MenuItem icon={Copy} onSelect={() => run(() => model.gateways.duplicate(gateway))}>
          {words.common.duplicate}
        </MenuItem>
        <MenuItem icon={Download} onSelect={() => run(() => model.gateways.export(gateway))}>
          {exportIt}
        </MenuItem>
        <MenuItem
          icon={Trash2}
          isDisabled={(settings?.profiles.length ?? 0) < 2}
          onSelect={() => run(() => model.gateways.remove(gateway))}
        >
          {deleteIt}
        </MenuItem>
      </Menu>
      {isRenaming && <RenameGateway gateway={gateway} onClose={() => setRenaming(false)} />}
    </div>
  );
}

function RenameGateway({ gateway, onClose }: { readonly gateway: string; readonly onClose: () => void }) {
  const model = useAppModel();
  const names = useApp((state) => state.settings?.profiles ?? NONE);
  const [isBusy, run] = useBusy();
  const [typed, setTyped] = useState(gateway);
  const name = typed.trim();
  const isTaken = name !== gateway && names.includes(name);
  const rename = (): void => {
    if (name === '' || isTaken) return;
    if (name === gateway) onClose();
    else
      run(async () => {
        if (await model.gateways.rename(gateway, name)) onClose();
      });
  };
  return (
    <Dialog
      title={words.settings.gateways.rename}
      decline={words.common.cancel}
      actions={[
        {
          words: words.common.rename,
          look: 'primary',
          isDisabled: name === '' || isTaken,
          onClick: rename,
        },
      ]}
      isBusy={isBusy}
      onOpenFocus={(content) => content.querySelector('input')?.select()}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target instanceof HTMLInputElement) rename();
      }}
      onClose={onClose}
    >
      <TextField
        label={words.common.name}
        value={typed}
        maxLength={200}
        onChange={(event) => setTyped(event.target.value)}
        problem={isTaken ? words.settings.gateways.isTaken : undefined}
      />
    </Dialog>
  );
}

const NONE: readonly string[] = [];

import { Copy, Files, Rows3, SquareTerminal, TextQuote } from 'lucide-react';
import type { RouteInput } from '../../../shared/ipc/contract.ts';
import type { RowView } from '../../../shared/ipc/rows.ts';
import { Button } from '../../design/Button.tsx';
import { Menu, MenuGroup, MenuItem } from '../../design/Menu.tsx';
import { words } from '../../../shared/words/words.ts';
import { useAppModel } from '../../state/app-context.ts';

interface CopyItemsProps {
  readonly batchId: string;
  readonly row: Pick<RowView, 'key' | 'operation' | 'files'>;
}

type Copied = RouteInput<'row.copy'>['what'] | 'row';

const COPIED: Readonly<Record<RouteInput<'row.copy'>['what'], string>> = {
  paths: words.grid.copy.pathCopied,
  prompt: words.grid.copy.promptCopied,
  curl: words.grid.copy.requestCopied,
};

/** What can be copied from a row for other programs. */
export function CopyItems({ batchId, row }: CopyItemsProps) {
  const { key, operation, files } = row;
  const model = useAppModel();
  const copy = async (what: Copied): Promise<void> => {
    if (what === 'row') {
      const headers = model.editing.store.getState().sheet?.columns.map(({ header }) => header) ?? [];
      await model.editing.copy({ rows: [key], headers }, false);
      return;
    }
    const reply = await model.ask('row.copy', { batchId, key, what });
    const message = what === 'curl' ? words.grid.copy.noKeyInIt : '';
    if (reply.ok) model.notices.show({ level: 'info', title: COPIED[what], message });
  };
  return (
    <MenuGroup>
      <MenuItem icon={Files} isDisabled={files.length === 0} onSelect={() => void copy('paths')}>
        {words.grid.copy.path}
      </MenuItem>
      <MenuItem icon={TextQuote} isDisabled={operation === undefined} onSelect={() => void copy('prompt')}>
        {words.grid.copy.prompt}
      </MenuItem>
      <MenuItem icon={Rows3} onSelect={() => void copy('row')}>
        {words.grid.copy.row}
      </MenuItem>
      <MenuItem icon={SquareTerminal} isDisabled={operation === undefined} onSelect={() => void copy('curl')}>
        {words.grid.copy.curl}
      </MenuItem>
    </MenuGroup>
  );
}

/** The same items behind a button. */
export function CopyMenu(props: CopyItemsProps) {
  return (
    <Menu
      button={
        <Button look="quiet" icon={Copy}>
          {words.common.copy}
        </Button>
      }
    >
      <CopyItems {...props} />
    </Menu>
  );
}

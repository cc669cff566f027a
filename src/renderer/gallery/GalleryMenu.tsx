import { FolderOpen, GalleryVerticalEnd, RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import { words } from '../../shared/words/words.ts';
import { ContextMenu, MenuCheck, MenuGroup, MenuItem } from '../design/Menu.tsx';
import { useAppModel } from '../state/app-context.ts';
import { renderShownAgain } from '../state/batch/one-more-take.ts';

interface GalleryMenuProps {
  readonly onOpen: () => void;
  readonly onShowInFolder: () => void;
  /** The wall whose menu it is; exactly one element. */
  readonly children: ReactNode;
}

/** What can be done with the file that has the cursor, or with all that are selected. */
export function GalleryMenu({ onOpen, onShowInFolder, children }: GalleryMenuProps) {
  const model = useAppModel();
  const { gallery } = model;
  const selected = useStore(gallery.store, ({ selection }) => selection.ids.size);
  const kept = useStore(gallery.store, ({ files, current = '' }) => files.get(current)?.verdict?.kept);
  return (
    <ContextMenu of={children} label={words.gallery.menu.label}>
      <MenuGroup>
        <MenuItem icon={GalleryVerticalEnd} keys="Enter" onSelect={onOpen}>
          {words.gallery.menu.review}
        </MenuItem>
        <MenuItem icon={FolderOpen} keys="O" onSelect={onShowInFolder}>
          {selected > 1 ? words.gallery.menu.showFirstInFolder : words.gallery.player.showInFolder}
        </MenuItem>
      </MenuGroup>
      <MenuGroup {...(selected > 1 && { title: words.gallery.selected(selected) })}>
        <MenuCheck isChecked={kept === true} onChange={() => gallery.decide({ kind: 'keep' })}>
          {words.review.verdict.keep}
        </MenuCheck>
        <MenuCheck isChecked={kept === false} onChange={() => gallery.decide({ kind: 'reject' })}>
          {words.review.verdict.reject}
        </MenuCheck>
        <MenuItem icon={RefreshCw} onSelect={() => void renderShownAgain(model)}>
          {words.gallery.menu.renderAgain(selected)}
        </MenuItem>
      </MenuGroup>
    </ContextMenu>
  );
}

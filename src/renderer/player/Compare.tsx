import { SquareSplitHorizontal } from 'lucide-react';
import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import type { EarlierFileView, FileView } from '../../shared/ipc/rows.ts';
import { words } from '../../shared/words/words.ts';
import { Button } from '../design/Button.tsx';
import { Dialog } from '../design/Dialog.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { formatDayAndClock } from '../format/times.ts';
import { shownLine } from '../format/shown-text.ts';
import { fileKind, operationTitle } from '../format/phrases.ts';
import reviewStyles from '../review/ReviewDialog.module.css';
import { ReviewStage } from '../review/ReviewStage.tsx';
import { isOfStage, nameOfKey, reviewCommandOf } from '../review/review-keys.ts';
import { targetOf, tileOf } from '../review/stage-elements.ts';
import { useStage } from '../review/use-stage.ts';
import { Wipe } from '../review/Wipe.tsx';
import { useAppModel } from '../state/app-context.ts';
import type { FileVersion } from '../state/batch/row-detail-view.ts';
import { pairOf, useRowVersions } from '../state/batch/row-versions.ts';
import { silenceOthers } from './use-playback.ts';
import { scrollWords } from './DocumentView.tsx';
import styles from './Look.module.css';

interface CompareProps {
  readonly batchId: string;
  /** The row's name. */
  readonly row: string;
  readonly rowKey: number;
  /** The file that is compared; in a row that does not have it, the first file with two versions. */
  readonly fileId: string;
}

const said = words.gallery.player.versions;

/**
 * An earlier file beside the one that took its place, side by side as in the review: the arrows go through the rows.
 */
export function Compare({ batchId, row: rowId, rowKey, fileId }: CompareProps) {
  const model = useAppModel();
  const dialog = useRef<HTMLElement>(undefined);
  const { row, files, isWhole } = useRowVersions(rowKey);
  const pair = useMemo(() => pairOf(files, fileId) ?? pairOf(files), [files, fileId]);
  const [chosenId, choose] = useState<string>();
  const [before, after] = pair ?? [];
  // The later one is looked at first: laid over the earlier one, it is on the right.
  const [chosen, other] = chosenId !== undefined && chosenId === before?.id ? [before, after] : [after, before];
  const stage = useStage({
    files: pair,
    chosen: chosen?.id,
    now: () => ({ files: pair, chosen: chosen?.id, before: other?.id }),
    choose,
  });
  const close = (): void => model.rows.endComparison();
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented) return;
    const target = targetOf(event.target);
    const command = reviewCommandOf(event, target);
    if (command === undefined && scrollWords(tileOf(stage.place.current, chosen?.id), event.key))
      event.preventDefault();
    const isEnd = target !== 'field' && isCompareKey(event);
    if (!isEnd && command === undefined) return;
    event.preventDefault();
    if (isEnd) close();
    else if (command?.kind === 'row') model.rows.move(command.by);
    else if (command?.kind === 'file') choose((command.by === 1 ? after : before)?.id);
    else if (command !== undefined && isOfStage(command)) stage.carryOut(command);
  };
  const { wiped } = stage;
  const isWiped =
    wiped !== undefined && pair !== undefined && wiped.every((one) => pair.some(({ id }) => id === one.id));
  const canWipe = pair?.every((file) => fileKind(file) === 'image') === true;
  const focusDialog = (): void => dialog.current?.focus();
  return (
    <Dialog
      title={row === undefined ? shownLine(rowId) : shownLine(row.label) || shownLine(row.row)}
      hint={`${shownLine(rowId)} · ${operationTitle(row?.operation)} · ${said.title}`}
      hasClose
      isBare
      className={reviewStyles.dialog}
      testId="compare"
      onKeyDown={onKeyDown}
      onOpenFocus={(content) => {
        silenceOthers();
        dialog.current = content;
        content.focus();
      }}
      onEscape={(event) => {
        if (stage.leave()) event.preventDefault();
      }}
      onClose={close}
    >
      {pair === undefined ? (
        <p className={joinClasses('soft', styles.none)} aria-busy={!isWhole}>
          {isWhole && said.none}
        </p>
      ) : isWiped ? (
        <Wipe
          left={wiped[0]}
          right={wiped[1]}
          onClose={() => {
            stage.unwipe();
            focusDialog();
          }}
        />
      ) : (
        <ReviewStage
          of={{ batchId, key: rowKey }}
          files={pair}
          chosen={chosen?.id}
          stage={stage}
          onChoose={choose}
          caption={captionOf}
        />
      )}
      <footer className={joinClasses('row', styles.foot)}>
        <output className="soft">
          {chosen !== undefined && versionWords(chosen)}
          {stage.loudness !== undefined && ` · ${stage.loudness}`}
          {stage.isMuted && ` · ${words.review.muted}`}
        </output>
        <span className={joinClasses('faint', styles.keys)}>{said.keys}</span>
        {canWipe && (
          <Button
            size="small"
            look="quiet"
            icon={SquareSplitHorizontal}
            title="W"
            aria-pressed={isWiped}
            onClick={() => {
              if (isWiped) stage.unwipe();
              else stage.carryOut({ kind: 'wipe' });
              if (isWiped) focusDialog();
            }}
          >
            {said.wipe}
          </Button>
        )}
      </footer>
    </Dialog>
  );

  function captionOf({ id }: FileView): string {
    return id === before?.id ? said.earlier : id === after?.id && !after.isEarlier ? said.now : said.later;
  }
}

/** Whether a key asks to compare, or to stop comparing. */
export function isCompareKey(event: Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey'>): boolean {
  return !event.ctrlKey && !event.metaKey && !event.altKey && nameOfKey(event) === 'c';
}

/** Says that a file is an earlier one, when it was made, and whether its row now asks for something else. */
export function versionWords(file: FileVersion): string {
  return file.isEarlier ? [said.isEarlier, ...madeWords(file)].join(' · ') : said.now;
}

/** When an earlier file was made, and whether for a request other than the one that its row has now. */
export function madeWords({ madeAt, isOfOtherRequest }: EarlierFileView): readonly string[] {
  return [
    ...(madeAt === undefined ? [] : [said.from(formatDayAndClock(madeAt))]),
    ...(isOfOtherRequest === true ? [said.ofOther] : []),
  ];
}

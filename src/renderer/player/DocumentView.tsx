import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { isHeading } from '../../shared/domain/review/timed-lyrics.ts';
import type { FileView } from '../../shared/ipc/rows.ts';
import { words } from '../../shared/words/words.ts';
import { IconButton } from '../design/Button.tsx';
import { OutputIcon } from '../design/drawings.tsx';
import { joinClasses } from '../design/join-classes.ts';
import { shownLine, shownText } from '../format/shown-text.ts';
import { useAnswer, useAppModel } from '../state/app-context.ts';
import styles from './DocumentView.module.css';

/** What a person would read in a document, such as lyrics: its title, and its text line by line. */
export function DocumentView({ file, size }: { readonly file: FileView; readonly size: 'small' | 'large' }) {
  const model = useAppModel();
  const document = useAnswer('file.words', { fileId: file.id });
  const [isCopied, setCopied] = useState(false);
  const name = shownLine(file.name);
  if (document === undefined) return <div className={styles[size]} aria-busy />;
  const { title, words: text, problem } = document;
  if (problem !== undefined) {
    return (
      <p className="row soft">
        <OutputIcon kind="data" size={18} />
        {shownText(problem)}
      </p>
    );
  }
  const copy = async (): Promise<void> => {
    const reply = await model.ask('file.copy', { fileId: file.id, what: 'words' });
    setCopied(reply.ok);
  };
  return (
    <div className={joinClasses(styles.document, styles[size])}>
      <section
        className={joinClasses('selectable', styles.text)}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={name}
        translate="no"
        data-words
      >
        {title !== undefined && <h3 className={styles.title}>{shownLine(title)}</h3>}
        {linesOf(text).map(({ line, id }) => (
          <p key={id} data-heading={isHeading(line)}>
            {line}
          </p>
        ))}
      </section>
      <IconButton
        className={styles.copy}
        icon={isCopied ? Check : Copy}
        label={isCopied ? words.gallery.player.textCopied : words.gallery.player.copyText}
        onClick={() => void copy()}
        onBlur={() => setCopied(false)}
      />
    </div>
  );
}

/** An empty line keeps its height. */
function linesOf(text: string): readonly { readonly line: string; readonly id: number }[] {
  return shownText(text)
    .split('\n')
    .map((line, id) => ({ line: line === '' ? '\u00a0' : line, id }));
}

/** Scrolls the text in an element, for the usual keys; false if there is no text, or the key does something else. */
export function scrollWords(within: Element | undefined, key: string): boolean {
  const text = within?.querySelector('[data-words]');
  if (!text) return false;
  const page = text.clientHeight * 0.9;
  const tops: Readonly<Record<string, number>> = {
    PageUp: text.scrollTop - page,
    PageDown: text.scrollTop + page,
    Home: 0,
    End: text.scrollHeight,
  };
  const top = tops[key];
  if (top !== undefined) text.scrollTo({ top });
  return top !== undefined;
}

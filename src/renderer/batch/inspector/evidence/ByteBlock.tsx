import { useState } from 'react';
import { visibleText } from '../../../../shared/domain/base/text.ts';
import type { EvidenceBytes } from '../../../../shared/ipc/views.ts';
import { Button } from '../../../design/Button.tsx';
import { hexLines } from '../../../format/bytes.ts';
import { formatBytes } from '../../../format/numbers.ts';
import { CodeBox } from './CodeBox.tsx';
import inspector from '../Inspector.module.css';
import styles from './Evidence.module.css';

/** Bytes as they were: as text with everything invisible written out, or as hexadecimal digits. */
export function ByteBlock({ title, bytes }: { readonly title: string; readonly bytes: EvidenceBytes }) {
  const { text } = bytes;
  const [isHex, setHex] = useState(text === undefined);
  return (
    <div className={styles.block}>
      <div className={styles.blockHead}>
        <h4 className={inspector.sectionTitle}>{title}</h4>
        <span className={styles.size}>{formatBytes(bytes.size)}</span>
        {bytes.size > 0 && text !== undefined && (
          <Button size="small" look="quiet" aria-pressed={isHex} onClick={() => setHex(!isHex)}>
            Bytes
          </Button>
        )}
      </div>
      {bytes.size > 0 && (
        <CodeBox>
          {isHex || text === undefined ? hexLines(bytes.base64) : visibleText(text)}
          {bytes.isCut && '\n… The export of the evidence has the rest.'}
        </CodeBox>
      )}
    </div>
  );
}

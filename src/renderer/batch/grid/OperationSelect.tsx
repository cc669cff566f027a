import { Check, ChevronDown } from 'lucide-react';
import { Select } from 'radix-ui';
import {
  OPERATIONS,
  OPERATION_PATHS,
  operationOf,
  type OperationPath,
} from '../../../shared/domain/operations/operations.ts';
import { OutputIcon } from '../../design/OutputIcon.tsx';
import styles from './OperationSelect.module.css';

const ALL = 'all';

interface OperationSelectProps {
  readonly operation: OperationPath | undefined;
  readonly onChange: (operation: OperationPath | undefined) => void;
}

/** Chooses one operation, or all of them. */
export function OperationSelect({ operation, onChange }: OperationSelectProps) {
  return (
    <Select.Root
      value={operation ?? ALL}
      onValueChange={(value) => onChange(OPERATION_PATHS.find((path) => path === value))}
    >
      <Select.Trigger className={styles.trigger} aria-label="Operation">
        <Select.Value>{operation === undefined ? 'All operations' : operationOf(operation).title}</Select.Value>
        <ChevronDown size={14} strokeWidth={1.75} aria-hidden />
      </Select.Trigger>
      <Select.Portal>
        <Select.Content className={styles.content} position="popper" sideOffset={4} align="end">
          <Select.Viewport>
            <Select.Item className={styles.item} value={ALL}>
              <span />
              <Select.ItemText>All operations</Select.ItemText>
              <Select.ItemIndicator className={styles.indicator}>
                <Check size={14} strokeWidth={2} aria-hidden />
              </Select.ItemIndicator>
            </Select.Item>
            {OPERATIONS.map(({ path, title, output }) => (
              <Select.Item key={path} className={styles.item} value={path}>
                <OutputIcon kind={output} size={14} />
                <Select.ItemText>{title}</Select.ItemText>
                <Select.ItemIndicator className={styles.indicator}>
                  <Check size={14} strokeWidth={2} aria-hidden />
                </Select.ItemIndicator>
              </Select.Item>
            ))}
          </Select.Viewport>
        </Select.Content>
      </Select.Portal>
    </Select.Root>
  );
}

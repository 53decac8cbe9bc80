import type { UndoFile } from '#contract/vocabulary/undo.js';
import { Checkbox } from '../../ui/form/checkbox.js';
import { Fold } from '../../ui/layout/fold.js';
import { Mono } from '../../ui/text/code-block.js';
import { Visible } from '../../ui/text/visible.js';
import { describeUndo } from './undo-files.js';

/**
 * Files that changed while a command ran that doesn’t name them: left alone, unless the person takes all of them for
 * the command’s.
 */
export function OtherChanges(props: {
  readonly files: readonly UndoFile[];
  readonly chosen: boolean;
  readonly onChange: (chosen: boolean) => void;
}) {
  const { files, chosen, onChange } = props;
  if (files.length === 0) return null;
  return (
    <div>
      <Checkbox checked={chosen} onChange={onChange}>
        Undo also what may be someone else’s ({files.length})
      </Checkbox>
      <Fold title={`may be someone else’s (${files.length})`}>
        <p className="secondary">
          These changed while the command ran, and it doesn’t name them. You or another program may have changed them.
        </p>
        <ul className="gh-undo-others" aria-label="May be someone else’s">
          {files.map((file) => (
            <li key={file.path}>
              <Mono>
                <Visible text={file.path} />
              </Mono>{' '}
              <span className="secondary">{describeUndo(file)}</span>
            </li>
          ))}
        </ul>
      </Fold>
    </div>
  );
}

/** Effects that undo does not reverse. */
export const NotUndone = ({ leaves }: { readonly leaves: readonly string[] }) =>
  leaves.length === 0 ? null : (
    <p>
      Not undone: <Visible text={leaves.join(', ')} />
    </p>
  );

import type { ReactNode } from 'react';
import type { ChangedFile } from '#contract/vocabulary/calls.js';
import { Mono } from '../../../ui/text/code-block.js';
import { counted } from '../../../ui/text/format.js';
import { PathActions } from '../../path/path-actions.js';
import { Visible } from '../../../ui/text/visible.js';

const SIGNS = { created: '+', modified: '~', deleted: '−' } as const;
const WORDS = { created: 'created', modified: 'changed', deleted: 'deleted' } as const;
const LISTED = 200;

export interface ChangedFilesProps {
  readonly files: readonly ChangedFile[];
  readonly workspace: string;
}

export function ChangedFiles({ files, workspace }: ChangedFilesProps) {
  return (
    <ul className="gh-changes">
      {files.slice(0, LISTED).map((file) => (
        <ChangedFileRow
          key={file.path}
          path={file.path}
          workspace={workspace}
          change={file.change}
          about={`${file.danger === undefined ? '' : ` · High risk: ${file.danger}`}${
            file.undoable ? '' : ' · can’t be undone'
          }${file.note === null ? '' : `: ${file.note}`}`}
        />
      ))}
      {files.length > LISTED ? <li className="secondary">and {counted(files.length - LISTED, 'more file')}</li> : null}
    </ul>
  );
}

export interface ChangedFileRowProps extends Pick<ChangedFile, 'path' | 'change'> {
  readonly workspace: string;
  /** Goes on after what happened to the file. */
  readonly about: string;
  readonly className?: string;
  /** Actions on the file, beneath. */
  readonly children?: ReactNode;
}

/** A file, and what happened to it. */
export function ChangedFileRow({ path, workspace, change, about, className, children }: ChangedFileRowProps) {
  return (
    <li className={className}>
      <span className={`gh-change-sign gh-change-${change}`} aria-hidden>
        {SIGNS[change]}
      </span>
      <div className="gh-change-words">
        <Mono>
          <Visible text={path} />
        </Mono>{' '}
        <span className="secondary">
          {WORDS[change]}
          {about}
        </span>
        <PathActions path={path} workspace={workspace} />
        {children}
      </div>
    </li>
  );
}

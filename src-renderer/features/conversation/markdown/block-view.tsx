import { memo, type ReactNode } from 'react';
import type { Token, Tokens } from 'marked';
import { Visible } from '../../../ui/text/visible.js';
import { FOCUSABLE } from '../../../ui/style/focusable.js';
import { CodeView } from './code-view.js';
import { Inline } from './inline-view.js';
import { readBlock } from './lexer.js';
import type { References } from './references.js';
import { closeOpenMarks } from './close-open-marks.js';

const MAX_BLOCK_DEPTH = 24;
/** Rows of one table that are drawn; the rest is shown as it is written. */
const MAX_TABLE_ROWS = 300;

export interface BlockViewProps {
  readonly raw: string;
  /** Whether it is still being written. */
  readonly open: boolean;
  readonly references?: References;
}

/** A block of Markdown, drawn by elements of our own: nothing that a model writes becomes markup. */
export const BlockView = memo(function BlockView({ raw, open, references }: BlockViewProps) {
  const shown = open ? closeOpenMarks(raw) : raw;
  if (shown === '') return null;
  const tokens = readBlock(shown, references);
  if (tokens === null) return <RawBlock text={raw} />;
  return <Blocks tokens={tokens} open={open} depth={0} />;
});

export const RawBlock = ({ text }: { readonly text: string }) => (
  <div className="gh-md-written">
    <Visible text={text} />
  </div>
);

interface Level {
  readonly open: boolean;
  readonly depth: number;
}

function Blocks({ tokens, ...level }: Level & { readonly tokens: readonly Token[] }) {
  return tokens.map((token, at) => <BlockToken key={at} token={token} {...level} />);
}

/** The page has the first two levels of headings itself. */
const HEADINGS = ['h3', 'h4', 'h5', 'h6', 'h6', 'h6'] as const;

function BlockToken({ token, open, depth }: Level & { readonly token: Token }): ReactNode {
  if (depth > MAX_BLOCK_DEPTH) return <RawBlock text={token.raw} />;
  switch (token.type) {
    case 'space':
      return null;
    case 'hr':
      return <hr />;
    case 'code': {
      const { text, lang } = token as Tokens.Code;
      return <CodeView text={text} language={lang ?? ''} open={open} />;
    }
    case 'heading': {
      const { depth: level, tokens } = token as Tokens.Heading;
      const Heading = HEADINGS[level - 1] ?? 'h6';
      return (
        <Heading>
          <Inline tokens={tokens} />
        </Heading>
      );
    }
    case 'blockquote':
      return (
        <blockquote>
          <Blocks tokens={(token as Tokens.Blockquote).tokens} open={open} depth={depth + 1} />
        </blockquote>
      );
    case 'list':
      return <List list={token as Tokens.List} open={open} depth={depth} />;
    case 'table':
      return <Table table={token as Tokens.Table} />;
    case 'paragraph':
      return (
        <p>
          <Inline tokens={(token as Tokens.Paragraph).tokens} />
        </p>
      );
    case 'text': {
      const { tokens, text } = token as Tokens.Text;
      return tokens === undefined ? <Visible text={text} /> : <Inline tokens={tokens} />;
    }
    case 'checkbox':
      return <Inline tokens={[token]} />;
    default:
      return <RawBlock text={token.raw} />;
  }
}

function List({ list, open, depth }: Level & { readonly list: Tokens.List }) {
  const items = list.items.map((item, at) => (
    <ListItem key={at} item={item} open={open && at === list.items.length - 1} depth={depth + 1} />
  ));
  if (!list.ordered) return <ul>{items}</ul>;
  return <ol {...(list.start === '' || list.start === 1 ? {} : { start: list.start })}>{items}</ol>;
}

interface ListItemProps extends Level {
  readonly item: Tokens.ListItem;
}

/** A list item. An unchanged one is not drawn again, however long the list grows. */
const ListItem = memo(
  function ListItem({ item, open, depth }: ListItemProps) {
    return (
      <li className={item.task ? 'gh-md-task' : undefined}>
        <Blocks tokens={item.tokens} open={open} depth={depth} />
      </li>
    );
  },
  (one, other) => one.item.raw === other.item.raw && one.item.loose === other.item.loose && one.open === other.open,
);

function Table({ table }: { readonly table: Tokens.Table }) {
  const left = table.rows.slice(MAX_TABLE_ROWS);
  return (
    <>
      <section className="gh-md-table" aria-label="Table" {...FOCUSABLE}>
        <table>
          <thead>
            <tr>
              {table.header.map((cell, at) => (
                <th key={at} scope="col" className={alignStyle(cell)}>
                  <Inline tokens={cell.tokens} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.slice(0, MAX_TABLE_ROWS).map((row, at) => (
              <Row key={at} row={row} written={row.map(({ text }) => text).join('|')} />
            ))}
          </tbody>
        </table>
      </section>
      {left.length === 0 ? null : (
        <RawBlock text={left.map((row) => row.map(({ text }) => text).join(' | ')).join('\n')} />
      )}
    </>
  );
}

const Row = memo(
  function Row({ row }: { readonly row: readonly Tokens.TableCell[]; readonly written: string }) {
    return (
      <tr>
        {row.map((cell, at) => (
          <td key={at} className={alignStyle(cell)}>
            <Inline tokens={cell.tokens} />
          </td>
        ))}
      </tr>
    );
  },
  (one, other) => one.written === other.written,
);

const alignStyle = ({ align }: Tokens.TableCell): string | undefined => (align === null ? undefined : `gh-md-${align}`);

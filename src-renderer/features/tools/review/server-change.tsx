import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { joinCommandLine } from '#contract/vocabulary/text/command-line.js';
import { DiffView } from '../../../calls/diff/diff-view.js';
import { Facts } from '../../../ui/layout/page.js';
import { Mono } from '../../../ui/text/code-block.js';
import { Visible } from '../../../ui/text/visible.js';
import { findChangedFields } from './changed-fields.js';
import { labelField } from './definition-summary.js';

interface ServerChangeProps {
  readonly name: string;
  readonly server: { readonly accepted: JsonObject | null; readonly offered: JsonObject };
}

/** The program to start or the server to connect to; where that is another than was accepted, the difference. */
export function ServerChange({ name, server: { accepted, offered } }: ServerChangeProps) {
  if (accepted === null) {
    return (
      <Facts
        facts={findChangedFields(null, dropEmptyValues(offered)).map(({ field, after }) => [
          labelField(field),
          <Mono key={field}>
            <Value value={offered[field]} otherwise={after ?? ''} />
          </Mono>,
        ])}
      />
    );
  }
  const changes = findChangedFields(accepted, offered);
  if (changes.length === 0) return null;
  return (
    <DiffView
      noun="field"
      label={`What changed of ${name} itself`}
      files={changes.map(({ field, before, after }) => ({
        path: labelField(field),
        change: before === null ? 'created' : after === null ? 'deleted' : 'modified',
        before,
        after,
        note: null,
      }))}
    />
  );
}

/** A list as a command has it; what has parts, such as a package, a line each in their order. */
function Value({ value, otherwise }: { readonly value: Json | undefined; readonly otherwise: string }) {
  const parts = isJsonObject(value ?? null) ? Object.entries(value ?? {}) : [];
  if (parts.length === 0 || parts.some(([, part]) => typeof part !== 'string'))
    return <Visible text={describeValue(value) ?? otherwise} />;
  return parts.map(([name, part]) => (
    <div key={name}>
      <Visible text={`${name}: ${String(part)}`} />
    </div>
  ));
}

/** Drops values that are left open: an empty list, no folder. */
const dropEmptyValues = (server: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(server).filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)),
  );

/** A list of words as a command has them; null for what is none. */
function describeValue(value: Json | undefined): string | null {
  if (!Array.isArray(value)) return null;
  const words = value.filter((each: Json) => typeof each === 'string');
  return words.length === value.length ? joinCommandLine(words) : null;
}

import { renameSync, rmSync, statSync } from 'node:fs';
import Type, { type Static, type TSchema } from 'typebox';
import { compileValidator } from '../json-schema.js';
import { readSmallFile, replaceSmallFile } from './small-file.js';

/** The same value, changed by nobody who reads it. */
export type Frozen<T> = T extends object ? { readonly [Key in keyof T]: Frozen<T[Key]> } : T;

export interface KeptJson<T> {
  /** Null where there is no file, and where it can't be understood. */
  read(): Frozen<T> | null;
  /** Whether the file is there and can't be understood. */
  readonly broken: boolean;
  /** Replaces the file, durably. Throws where it can't be written, unless somebody is told. */
  write(value: Frozen<T>): void;
  remove(): void;
}

export interface KeptJsonOptions {
  /** Called where the file can't be written, for those who go on without it. */
  readonly onProblem?: (error: unknown) => void;
  readonly maxBytes?: number;
}

/**
 * A small file of the app's own in the data folder. What it says is checked by its schema before anybody uses it. One
 * that can't be understood says nothing, stays as it is, and is put aside (`….broken`) when something else is written in
 * its place.
 */
export function keptJson<Schema extends TSchema>(
  path: string,
  schema: Schema,
  { onProblem, maxBytes }: KeptJsonOptions = {},
): KeptJson<Static<Schema>> {
  const validate = compileValidator(schema);
  function read(): Frozen<Static<Schema>> | null {
    try {
      const checked = validate(JSON.parse(readSmallFile(path, maxBytes) ?? ''));
      return checked.ok ? checked.value : null;
    } catch {
      return null;
    }
  }
  const isBroken = (): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true && read() === null;
  return {
    read,
    get broken() {
      return isBroken();
    },
    write(value) {
      try {
        if (isBroken()) renameSync(path, `${path}.broken`);
        replaceSmallFile(path, `${JSON.stringify(value)}\n`);
      } catch (error) {
        if (onProblem === undefined) throw error;
        onProblem(error);
      }
    },
    remove: () => rmSync(path, { force: true }),
  };
}

/** Entries by a key, in their order. */
export const keyedEntries = <Schema extends TSchema>(schema: Schema) =>
  Type.Array(
    Type.Unsafe<readonly [string, Static<Schema>]>({
      type: 'array',
      prefixItems: [{ type: 'string' }, schema],
      items: false,
      minItems: 2,
    }),
  );

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { TSchema } from 'typebox';
import { isJsonObject, type Json } from '#contract/vocabulary/json.js';
import { compileForeignValidator, compileJsonValidator } from '../../platform/json-schema.js';

const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());

// A start trusts what stands here: it compiles none of these, and looks at none of them with the schema of schemas.
it.each(folders.map(({ name }) => name))(
  '%s declares valid schemas, of keywords that a strict validator knows',
  async (folder) => {
    const definition = join(import.meta.dirname, folder, 'definition.ts');
    const declared = Object.values((await import(definition)) as Record<string, unknown>).filter(isDeclaration);
    expect(declared).toHaveLength(1);
    for (const { input, output } of declared) {
      for (const schema of [input, output] as const) {
        const plain = JSON.parse(JSON.stringify(schema)) as Json;
        if (!isJsonObject(plain)) throw new Error('A schema is an object.');
        expect(compileForeignValidator(plain)).toMatchObject({ ok: true });
        expect(compileJsonValidator(plain)({ no: 'such thing' })).toMatchObject({ ok: false });
      }
    }
  },
);

const isDeclaration = (value: unknown): value is { input: TSchema; output: TSchema } =>
  typeof value === 'object' && value !== null && 'input' in value && 'output' in value;

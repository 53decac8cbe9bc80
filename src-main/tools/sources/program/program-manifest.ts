import { posix } from 'node:path';
import Type, { type Static } from 'typebox';
import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import { LIFECYCLES } from '#contract/vocabulary/tools/sources.js';
import { parseAllowedHost } from '../../../domain/policy/allowed-hosts.js';
import { isToolId, isVersion } from '../../../domain/tool/tool-identity.js';
import { compileValidator } from '../../../platform/json-schema.js';

const text = Type.String({ minLength: 1, maxLength: 4096 });
const openObject = Type.Record(Type.String(), Type.Unknown());
const count = Type.Integer({ minimum: 1, maximum: 1_000_000_000 });

/** Seed 004 §5.2.1, and what a program needs besides. What else stands in a manifest is kept with it, and means nothing. */
const ManifestSchema = Type.Object({
  tool_id: text,
  tool_name: text,
  description: Type.Optional(Type.String({ maxLength: 65_536 })),
  category: Type.Optional(Type.Enum(['data_access', 'computation', 'external_api', 'file_system', 'llm_interaction'])),
  version: text,
  parameters_schema: openObject,
  result_schema: Type.Optional(openObject),
  permissions: Type.Optional(
    Type.Object({
      filesystem: Type.Optional(
        Type.Array(Type.Object({ path: text, mode: Type.Enum(['ro', 'rw']) }), { maxItems: 20 }),
      ),
      network: Type.Optional(
        Type.Array(Type.Object({ host: text, port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })) }), {
          maxItems: 200,
        }),
      ),
      credentials: Type.Optional(
        Type.Array(Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_.-]{0,63}$' }), { maxItems: 50 }),
      ),
    }),
  ),
  execution_config: Type.Optional(
    Type.Object({
      default_timeout_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
      default_cpu_millicore_limit: Type.Optional(count),
      default_memory_mb_limit: Type.Optional(count),
      requires_approval: Type.Optional(Type.Boolean()),
      retry_policy: Type.Optional(openObject),
      circuit_breaker_config: Type.Optional(openObject),
    }),
  ),
  entry: Type.Object({
    command: Type.Array(Type.String({ minLength: 1, maxLength: 8192 }), { minItems: 1, maxItems: 200 }),
  }),
  tags: Type.Optional(Type.Array(Type.String())),
  deprecation_state: Type.Optional(Type.Enum([...LIFECYCLES])),
  deprecation_date: Type.Optional(
    Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}(?:T[0-9:.]+(?:Z|[+-]\\d{2}:\\d{2}))?$' }),
  ),
  deprecated_in_favor_of: Type.Optional(text),
  compatibility_range: Type.Optional(text),
  release_notes: Type.Optional(Type.String()),
  security_level: Type.Optional(Type.String()),
  idempotent: Type.Optional(Type.Boolean()),
  deterministic: Type.Optional(Type.Boolean()),
  side_effecting: Type.Optional(Type.Boolean()),
  requires_approval: Type.Optional(Type.Boolean()),
});
export type ProgramManifest = Static<typeof ManifestSchema>;

export type ManifestRead =
  | {
      readonly ok: true;
      readonly manifest: ProgramManifest;
      readonly whole: JsonObject;
      readonly places: readonly FolderAccess[];
    }
  | { readonly ok: false; readonly problem: string };

/** A part of the open folder that a program may see, by a path that stays in it: empty for the folder itself. */
export interface FolderAccess {
  readonly path: string;
  readonly mode: 'ro' | 'rw';
}

const validateManifest = compileValidator(ManifestSchema);

/** A manifest for the source of this name; the first thing that is wrong, with its place. */
export function readManifest(value: Json, source: string): ManifestRead {
  const no = (problem: string): ManifestRead => ({ ok: false, problem });
  const checked = validateManifest(value);
  if (!checked.ok) {
    const [first] = checked.problems;
    return no(`${first === undefined || first.path === '' ? 'It' : first.path} ${first?.message ?? 'is no manifest'}.`);
  }
  const { value: manifest } = checked;
  const { tool_id: id, version, permissions } = manifest;
  if (!isToolId(id)) return no(`tool_id “${id}” is no id: write <group>.<operation>.`);
  if (!id.startsWith(`${source}.`))
    return no(`tool_id “${id}” is of another group than this source: begin it with “${source}.”.`);
  if (!isVersion(version)) return no(`version “${version}” is none: write major.minor.patch.`);
  const places: FolderAccess[] = [];
  for (const { path, mode } of permissions?.filesystem ?? []) {
    const inside = resolveInsideFolder(path);
    if (inside === null) return no(`permissions.filesystem: “${path}” is outside the open folder.`);
    places.push({ path: inside, mode });
  }
  if (places.filter(({ mode }) => mode === 'rw').length > 1)
    return no('permissions.filesystem has more than one folder to write to: name one that holds them all.');
  for (const { host } of permissions?.network ?? []) {
    const read = parseAllowedHost(host);
    if (!read.ok || read.allowed.port !== null)
      return no(`permissions.network: ${read.ok ? `“${host}” has a port: write it as port` : read.problem}.`);
  }
  const names = (permissions?.credentials ?? []).map(toCredentialVariable);
  if (new Set(names).size < names.length)
    return no('permissions.credentials has two names that are one as a variable.');
  return { ok: true, manifest, whole: value as JsonObject, places };
}

/** The seed calls the open folder `/workspace`. */
function resolveInsideFolder(path: string): string | null {
  if (path.includes('\0') || path.includes('\\')) return null;
  const relative =
    path === '/workspace' || path.startsWith('/workspace/') ? `.${path.slice('/workspace'.length)}` : path;
  if (relative.startsWith('/') || relative.startsWith('~')) return null;
  if (relative.split('/').includes('..')) return null;
  const normal = posix.normalize(relative).replace(/\/+$/u, '');
  return normal === '.' ? '' : normal;
}

export const toCredentialVariable = (name: string): string =>
  `CREDENTIAL_${name.toUpperCase().replaceAll(/[^A-Z0-9_]/gu, '_')}`;

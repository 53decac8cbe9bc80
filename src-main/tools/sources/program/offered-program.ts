import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import type { OfferedOperation } from '../../../domain/ports/sources/source.js';
import type { ProgramManifest } from './program-manifest.js';

const DEFAULT_TIMEOUT_SECONDS = 30;

/** A manifest as an operation of its source; `runs`: all that it can load, by digest, and which program its name stands for. */
export function toOfferedProgram(manifest: ProgramManifest, whole: JsonObject, runs: JsonObject): OfferedOperation {
  const { tool_id: id, execution_config: execution, side_effecting: sideEffecting = true } = manifest;
  const state = manifest.deprecation_state ?? 'active';
  return {
    operation: id.slice(id.indexOf('.') + 1),
    toolId: id,
    version: manifest.version,
    title: manifest.tool_name,
    description: manifest.description ?? '',
    inputSchema: manifest.parameters_schema as Json,
    outputSchema: (manifest.result_schema as Json | undefined) ?? null,
    claims: {
      readOnly: !sideEffecting,
      destructive: sideEffecting,
      idempotent: manifest.idempotent === true,
      openWorld: (manifest.permissions?.network?.length ?? 0) > 0,
      requiresApproval: manifest.requires_approval === true || execution?.requires_approval === true,
    },
    pinned: { manifest: whole, ...runs },
    timeoutMs: (execution?.default_timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
    lifecycle: {
      state,
      deprecationDate: manifest.deprecation_date ?? null,
      insteadUse: manifest.deprecated_in_favor_of ?? null,
      compatibilityRange: manifest.compatibility_range ?? null,
      releaseNotes: manifest.release_notes ?? null,
    },
  };
}

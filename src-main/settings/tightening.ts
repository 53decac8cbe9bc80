import { posix } from 'node:path';
import type { Json } from '#contract/vocabulary/json.js';
import type { SettingKey } from '#contract/vocabulary/config.js';

/**
 * The effect of a folder's own file on a value: the value from now on, and the part of its wish that was not granted.
 */
export interface Tightened {
  readonly value: Json;
  /** The refused part in words, for the notice; null when all was granted. */
  readonly ignored: string | null;
}

export type Tighten = (base: Json, wish: Json) => Tightened;

const grant = (value: Json): Tightened => ({ value, ignored: null });
const refuse = (value: Json, ignored: string): Tightened => ({ value, ignored });

const lowerOnly: Tighten = (base, wish) =>
  (wish as number) <= (base as number)
    ? grant(wish)
    : refuse(base, `${formatValue(wish)} is more than the ${formatValue(base)} that you allow`);

/** Allows lower numbers. Zero means “without limit”, and so is the loosest. */
const lowerWhereZeroIsNone: Tighten = (base, wish) => {
  const rank = (value: Json) => (value === 0 ? Number.POSITIVE_INFINITY : (value as number));
  return rank(wish) <= rank(base)
    ? grant(wish)
    : refuse(base, `${formatValue(wish)} is looser than your ${formatValue(base)}`);
};

/** Allows values that are tighter in this order, which goes from loose to tight. */
const oneOf =
  (...order: readonly Json[]): Tighten =>
  (base, wish) =>
    order.indexOf(wish) >= order.indexOf(base)
      ? grant(wish)
      : refuse(base, `${formatValue(wish)} is looser than your ${formatValue(base)}`);

/** Lets a list of denials grow. */
const growOnly: Tighten = (base, wish) => grant([...new Set([...(base as string[]), ...(wish as string[])])]);

/** Lets a list of permissions shrink. */
const shrinkOnly: Tighten = (base, wish) => {
  const allowed = base as readonly string[];
  const extra = (wish as readonly string[]).filter((item) => !allowed.includes(item));
  const value = (wish as readonly string[]).filter((item) => allowed.includes(item));
  return extra.length === 0
    ? grant(value)
    : refuse(value, `it adds ${extra.map(formatValue).join(', ')}, which you do not allow`);
};

/** Narrows roots to folders inside those that are allowed. */
const narrowRoots: Tighten = (base, wish) => {
  const allowed = base as readonly string[];
  const inside = (root: string) => allowed.some((outer) => contains(outer, root));
  const extra = (wish as readonly string[]).filter((root) => !inside(root));
  const kept = (wish as readonly string[]).filter(inside);
  if (extra.length === 0) return grant(kept);
  // A file that asks for nothing but what it can't have has narrowed nothing.
  return refuse(
    kept.length === 0 ? base : kept,
    `${extra.map(formatValue).join(', ')} lies outside the folders that you allow`,
  );
};

function contains(outer: string, inner: string): boolean {
  const [from, to] = [posix.normalize(outer.replaceAll('\\', '/')), posix.normalize(inner.replaceAll('\\', '/'))];
  if (posix.isAbsolute(from) !== posix.isAbsolute(to)) return false;
  const way = posix.relative(from, to);
  return way !== '..' && !way.startsWith('../');
}

const refuseAlways: Tighten = (base) => refuse(base, 'this can be set in your own file only');

/** Allows only “send nothing”, which is tighter than sending somewhere. */
const onlyEmpty: Tighten = (base, wish) => (wish === '' ? grant(wish) : refuseAlways(base, wish));

/** The rules by which a workspace's file may change each setting. A setting without a rule does not compile. */
export const TIGHTENING: Readonly<Record<SettingKey, Tighten>> = {
  'tools.mode': oneOf('enabled', 'parse_only', 'disabled'),
  'tools.allow_parallel': oneOf(true, false),
  'tools.max_tool_calls_per_batch': lowerOnly,
  'tools.max_tool_iterations_per_user_turn': lowerOnly,
  'tools.max_tool_args_bytes': lowerOnly,
  'tools.advertise_at_most': lowerOnly,
  'tools.definitions': refuseAlways,
  'tools.approval.enabled': oneOf(true, false),
  'tools.approval.mode': oneOf('auto', 'prompt', 'deny'),
  'tools.approval.allowlist': shrinkOnly,
  'tools.approval.denylist': growOnly,
  'tools.approval.prompt_side_effects': oneOf(false, true),
  'tools.approval.wait_seconds': lowerWhereZeroIsNone,
  'tools.approval.commands': oneOf('sandbox', 'ask'),
  'tools.approval.edits': oneOf('collect', 'ask'),
  'tools.approval.secrets': oneOf('ask', 'deny'),
  'tools.approval.confirmed': refuseAlways,
  'tools.sandbox.allowed_roots': narrowRoots,
  'tools.sandbox.denied_patterns': growOnly,
  'tools.sandbox.allow_absolute': oneOf(true, false),
  'tools.sandbox.include_default_denies': oneOf(false, true),
  'tools.timeouts.default_seconds': lowerOnly,
  'tools.timeouts.file_operations_seconds': lowerOnly,
  'tools.timeouts.shell_commands_seconds': lowerOnly,
  'tools.output.max_bytes': lowerOnly,
  'tools.queue.places': lowerOnly,
  'tools.queue.per_tool': lowerOnly,
  'tools.queue.per_agent': lowerOnly,
  'tools.queue.max_waiting': lowerOnly,
  'tools.queue.max_wait_seconds': lowerWhereZeroIsNone,
  'tools.environment.denylist': growOnly,
  'tools.read_file.max_file_read_bytes': lowerOnly,
  'tools.read_file.max_scan_bytes': lowerOnly,
  'tools.list_directory.max_depth': lowerOnly,
  'tools.list_directory.max_entries': lowerOnly,
  'tools.apply_patch.max_patch_bytes': lowerOnly,
  'tools.write_file.max_bytes': lowerOnly,
  'tools.run_command.confinement': oneOf('off', 'preferred', 'required'),
  'tools.run_command.network': oneOf(true, false),
  'tools.run_command.allowed_hosts': shrinkOnly,
  'tools.run_command.kill_grace_ms': lowerOnly,
  'tools.run_command.max_output_file_bytes': lowerOnly,
  'tools.run_command.env_allowlist': shrinkOnly,
  'tools.run_command.home_allowlist': shrinkOnly,
  'tools.run_command.readable': refuseAlways,
  'tools.run_command.max_cpu_seconds': lowerOnly,
  'tools.run_command.max_memory_bytes': lowerOnly,
  'tools.run_command.max_open_files': lowerOnly,
  'tools.run_command.max_file_bytes': lowerOnly,
  'tools.run_command.max_processes': lowerOnly,
  // A folder may never say where the conversation goes, with which key and which words before it.
  'model.provider': refuseAlways,
  'model.base_url': refuseAlways,
  'model.model': refuseAlways,
  'model.api_key_env': refuseAlways,
  'model.context_tokens': refuseAlways,
  'model.reserve_tokens': refuseAlways,
  'model.max_output_tokens': refuseAlways,
  'model.system_prompt': refuseAlways,
  'model.instructions': refuseAlways,
  'model.temperature': refuseAlways,
  'search.provider': refuseAlways,
  'search.ollama_base_url': refuseAlways,
  'search.embedding_model': refuseAlways,
  'search.threshold': refuseAlways,
  'invoke.sync_wait_seconds': refuseAlways,
  'invoke.starvation_seconds': refuseAlways,
  'gateway.enabled': oneOf(true, false),
  'gateway.port': refuseAlways,
  'gateway.clients': refuseAlways,
  // A folder's tightening for all holds for each agent (layers.ts).
  'gateway.agents': refuseAlways,
  'gateway.when_client_leaves': oneOf('keep', 'cancel'),
  'gateway.limits.sessions': lowerOnly,
  'gateway.limits.sheets': lowerOnly,
  'gateway.limits.recorded_mb_per_minute': lowerOnly,
  // A folder may never say what can be called, and what is started for it.
  sources: refuseAlways,
  'domain.package': refuseAlways,
  'domain.secrets': refuseAlways,
  'domain.digest': refuseAlways,
  'domain.follow': refuseAlways,
  hooks: refuseAlways,
  'registry.max_versions_per_tool': refuseAlways,
  'registry.deprecation_warning_days': refuseAlways,
  // Keeping less would be forgetting what was done, not doing less.
  'journal.keep_days': refuseAlways,
  'journal.output_quota_bytes': refuseAlways,
  'journal.image_quota_bytes': refuseAlways,
  'telemetry.otlp_endpoint': onlyEmpty,
};

const formatValue = (value: Json): string => JSON.stringify(value);

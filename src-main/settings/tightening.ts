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

const granted = (value: Json): Tightened => ({ value, ignored: null });
const refused = (value: Json, ignored: string): Tightened => ({ value, ignored });

const lower: Tighten = (base, wish) =>
  (wish as number) <= (base as number)
    ? granted(wish)
    : refused(base, `${show(wish)} is more than the ${show(base)} that you allow`);

/** Allows lower numbers. Zero means “without limit”, and so is the loosest. */
const lowerWhereZeroIsNone: Tighten = (base, wish) => {
  const rank = (value: Json) => (value === 0 ? Number.POSITIVE_INFINITY : (value as number));
  return rank(wish) <= rank(base) ? granted(wish) : refused(base, `${show(wish)} is looser than your ${show(base)}`);
};

/** Allows values that are tighter in this order, which goes from loose to tight. */
const oneOf =
  (...order: readonly Json[]): Tighten =>
  (base, wish) =>
    order.indexOf(wish) >= order.indexOf(base)
      ? granted(wish)
      : refused(base, `${show(wish)} is looser than your ${show(base)}`);

/** Lets a list of denials grow. */
const adds: Tighten = (base, wish) => granted([...new Set([...(base as string[]), ...(wish as string[])])]);

/** Lets a list of permissions shrink. */
const cuts: Tighten = (base, wish) => {
  const allowed = base as readonly string[];
  const extra = (wish as readonly string[]).filter((item) => !allowed.includes(item));
  const value = (wish as readonly string[]).filter((item) => allowed.includes(item));
  return extra.length === 0
    ? granted(value)
    : refused(value, `it adds ${extra.map(show).join(', ')}, which you do not allow`);
};

/** Narrows roots to folders inside those that are allowed. */
const cutsRoots: Tighten = (base, wish) => {
  const allowed = base as readonly string[];
  const inside = (root: string) => allowed.some((outer) => contains(outer, root));
  const extra = (wish as readonly string[]).filter((root) => !inside(root));
  const kept = (wish as readonly string[]).filter(inside);
  if (extra.length === 0) return granted(kept);
  // A file that asks for nothing but what it can't have has narrowed nothing.
  return refused(
    kept.length === 0 ? base : kept,
    `${extra.map(show).join(', ')} lies outside the folders that you allow`,
  );
};

function contains(outer: string, inner: string): boolean {
  const [from, to] = [posix.normalize(outer.replaceAll('\\', '/')), posix.normalize(inner.replaceAll('\\', '/'))];
  if (posix.isAbsolute(from) !== posix.isAbsolute(to)) return false;
  const way = posix.relative(from, to);
  return way !== '..' && !way.startsWith('../');
}

const yoursAlone: Tighten = (base) => refused(base, 'this can be set in your own file only');

/** Allows only “send nothing”, which is tighter than sending somewhere. */
const onlyEmpty: Tighten = (base, wish) => (wish === '' ? granted(wish) : yoursAlone(base, wish));

/** The rules by which a workspace's file may change each setting. A setting without a rule does not compile. */
export const TIGHTENING: Readonly<Record<SettingKey, Tighten>> = {
  'tools.mode': oneOf('enabled', 'parse_only', 'disabled'),
  'tools.allow_parallel': oneOf(true, false),
  'tools.max_tool_calls_per_batch': lower,
  'tools.max_tool_iterations_per_user_turn': lower,
  'tools.max_tool_args_bytes': lower,
  'tools.advertise_at_most': lower,
  'tools.definitions': yoursAlone,
  'tools.approval.enabled': oneOf(true, false),
  'tools.approval.mode': oneOf('auto', 'prompt', 'deny'),
  'tools.approval.allowlist': cuts,
  'tools.approval.denylist': adds,
  'tools.approval.prompt_side_effects': oneOf(false, true),
  'tools.approval.wait_seconds': lowerWhereZeroIsNone,
  'tools.approval.commands': oneOf('sandbox', 'ask'),
  'tools.approval.edits': oneOf('collect', 'ask'),
  'tools.approval.secrets': oneOf('ask', 'deny'),
  'tools.approval.confirmed': yoursAlone,
  'tools.sandbox.allowed_roots': cutsRoots,
  'tools.sandbox.denied_patterns': adds,
  'tools.sandbox.allow_absolute': oneOf(true, false),
  'tools.sandbox.include_default_denies': oneOf(false, true),
  'tools.timeouts.default_seconds': lower,
  'tools.timeouts.file_operations_seconds': lower,
  'tools.timeouts.shell_commands_seconds': lower,
  'tools.output.max_bytes': lower,
  'tools.queue.places': lower,
  'tools.queue.per_tool': lower,
  'tools.queue.per_agent': lower,
  'tools.queue.max_waiting': lower,
  'tools.queue.max_wait_seconds': lowerWhereZeroIsNone,
  'tools.environment.denylist': adds,
  'tools.read_file.max_file_read_bytes': lower,
  'tools.read_file.max_scan_bytes': lower,
  'tools.list_directory.max_depth': lower,
  'tools.list_directory.max_entries': lower,
  'tools.apply_patch.max_patch_bytes': lower,
  'tools.write_file.max_bytes': lower,
  'tools.run_command.confinement': oneOf('off', 'preferred', 'required'),
  'tools.run_command.network': oneOf(true, false),
  'tools.run_command.allowed_hosts': cuts,
  'tools.run_command.kill_grace_ms': lower,
  'tools.run_command.max_output_file_bytes': lower,
  'tools.run_command.env_allowlist': cuts,
  'tools.run_command.home_allowlist': cuts,
  'tools.run_command.readable': yoursAlone,
  'tools.run_command.max_cpu_seconds': lower,
  'tools.run_command.max_memory_bytes': lower,
  'tools.run_command.max_open_files': lower,
  'tools.run_command.max_file_bytes': lower,
  'tools.run_command.max_processes': lower,
  // Where the conversation goes, with which key and which words before it, is never a folder's to say.
  'model.provider': yoursAlone,
  'model.base_url': yoursAlone,
  'model.model': yoursAlone,
  'model.api_key_env': yoursAlone,
  'model.context_tokens': yoursAlone,
  'model.reserve_tokens': yoursAlone,
  'model.max_output_tokens': yoursAlone,
  'model.system_prompt': yoursAlone,
  'model.instructions': yoursAlone,
  'model.temperature': yoursAlone,
  'search.provider': yoursAlone,
  'search.ollama_base_url': yoursAlone,
  'search.embedding_model': yoursAlone,
  'search.threshold': yoursAlone,
  'invoke.sync_wait_seconds': yoursAlone,
  'invoke.starvation_seconds': yoursAlone,
  'gateway.enabled': oneOf(true, false),
  'gateway.port': yoursAlone,
  'gateway.clients': yoursAlone,
  // What it tightens for all, it tightens for each of them (layers.ts).
  'gateway.agents': yoursAlone,
  'gateway.when_client_leaves': oneOf('keep', 'cancel'),
  'gateway.limits.sessions': lower,
  'gateway.limits.sheets': lower,
  'gateway.limits.recorded_mb_per_minute': lower,
  // What can be called, and what is started for it, is never a folder's to say.
  sources: yoursAlone,
  'domain.package': yoursAlone,
  'domain.secrets': yoursAlone,
  'domain.digest': yoursAlone,
  'domain.follow': yoursAlone,
  hooks: yoursAlone,
  'registry.max_versions_per_tool': yoursAlone,
  'registry.deprecation_warning_days': yoursAlone,
  // Keeping less would be forgetting what was done, not doing less.
  'journal.keep_days': yoursAlone,
  'journal.output_quota_bytes': yoursAlone,
  'journal.image_quota_bytes': yoursAlone,
  'telemetry.otlp_endpoint': onlyEmpty,
};

const show = (value: Json): string => JSON.stringify(value);

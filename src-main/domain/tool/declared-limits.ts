import type { Config } from '#contract/vocabulary/config.js';
import { ToolFailure, type ResourceLimits, type Tool } from './tool.js';

/**
 * The time limit of a call. A tool's declared limits bind it, and so do the settings: the tighter holds (seed 000 rules
 * 3, 5, 6 and 7).
 */
export function getTimeLimitMs(
  { declaration, timeoutMs }: Pick<Tool<never>, 'declaration' | 'timeoutMs'>,
  config: Config,
): number {
  const configured = timeoutMs(config) ?? config.tools.timeouts.default_seconds * 1000;
  return Math.min(declaration.resourceLimits.maxExecutionTimeMs, configured);
}

export const getOutputLimitBytes = ({ maxOutputBytes }: ResourceLimits, config: Config): number =>
  Math.min(maxOutputBytes, config.tools.output.max_bytes);

/** The settings for one call of a tool: its commands get no more memory and write no larger files than it declares. */
export function tightenToDeclared(config: Config, { maxMemory, maxFileSize }: ResourceLimits): Config {
  if (maxMemory === undefined && maxFileSize === undefined) return config;
  const { run_command: settings } = config.tools;
  const run_command = {
    ...settings,
    max_memory_bytes: Math.min(settings.max_memory_bytes, maxMemory ?? Infinity),
    max_file_bytes: Math.min(settings.max_file_bytes, maxFileSize ?? Infinity),
  };
  return { ...config, tools: { ...config.tools, run_command } };
}

export function refuseLargerFile(bytes: number, { maxFileSize }: ResourceLimits, file: string): void {
  if (maxFileSize === undefined || bytes <= maxFileSize) return;
  const message = `Could not change “${file}”: it would be ${bytes} bytes, and the tool declares to write ${maxFileSize} at most.`;
  throw new ToolFailure({ code: 'ResourceExhausted', message, limit: 'maxFileSize' });
}

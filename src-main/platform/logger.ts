import { closeSync, existsSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Redactor } from '../domain/ports/redactor.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export interface FileLoggerOptions {
  readonly directory: string;
  readonly now: () => number;
  readonly redactor: Pick<Redactor, 'json'>;
  readonly maxBytes?: number;
  readonly keptFiles?: number;
}

const MAX_LINE = 64 * 1024;

/**
 * Logs a JSON object a line, in <data>/logs/gatehouse.log; older ones are gatehouse.1.log and so on. Lines are written
 * at once and not when there is time: the last line before a crash is the one that matters. A log that can't be written
 * stops nothing: it says so on stderr, once.
 */
export class FileLogger implements Logger {
  readonly #options: Required<FileLoggerOptions>;
  #handle: number | undefined;
  #size = 0;
  #complained = false;

  constructor(options: FileLoggerOptions) {
    this.#options = { maxBytes: 2 * 1024 * 1024, keptFiles: 5, ...options };
  }

  debug(message: string, fields?: LogFields): void {
    this.#write('debug', message, fields);
  }
  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields);
  }
  warn(message: string, fields?: LogFields): void {
    this.#write('warn', message, fields);
  }
  error(message: string, fields?: LogFields): void {
    this.#write('error', message, fields);
  }

  close(): void {
    if (this.#handle !== undefined) closeSync(this.#handle);
    this.#handle = undefined;
  }

  #write(level: LogLevel, message: string, fields: LogFields = {}): void {
    try {
      const { now, maxBytes } = this.#options;
      const entry = { at: new Date(now()).toISOString(), level, message, ...plain(fields) };
      // The entry goes through JSON first: a value with a toJSON of its own must not bring a secret past the redaction.
      let line = JSON.stringify(this.#options.redactor.json(JSON.parse(JSON.stringify(entry)) as JsonObject).value);
      if (line.length > MAX_LINE) {
        line = JSON.stringify({
          at: entry.at,
          level,
          message: message.slice(0, 1000),
          cut: line.slice(0, MAX_LINE / 2),
        });
      }
      const bytes = Buffer.from(`${line}\n`);
      if (this.#handle === undefined) this.#open();
      if (this.#size > 0 && this.#size + bytes.length > maxBytes) this.#rotate();
      writeSync(this.#handle as number, bytes);
      this.#size += bytes.length;
    } catch (error) {
      if (this.#complained) return;
      this.#complained = true;
      process.stderr.write(`gatehouse: the log can’t be written: ${String(error)}\n`);
    }
  }

  #file(age: number): string {
    return join(this.#options.directory, age === 0 ? 'gatehouse.log' : `gatehouse.${age}.log`);
  }

  #open(): void {
    mkdirSync(this.#options.directory, { recursive: true, mode: 0o700 });
    this.#handle = openSync(this.#file(0), 'a', 0o600);
    this.#size = fstatSync(this.#handle).size;
  }

  #rotate(): void {
    this.close();
    for (let age = this.#options.keptFiles - 1; age >= 1; age -= 1) {
      if (existsSync(this.#file(age - 1))) renameSync(this.#file(age - 1), this.#file(age));
    }
    this.#open();
  }
}

/** Errors have no enumerable properties: without this they would be logged as {}. */
function plain(fields: LogFields): LogFields {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, plainValue(value, 0)]));
}

function plainValue(value: unknown, depth: number): unknown {
  if (value instanceof Error) {
    return {
      name: value.name,
      message: value.message,
      stack: value.stack,
      ...(value.cause !== undefined && depth < 5 ? { cause: plainValue(value.cause, depth + 1) } : {}),
    };
  }
  return typeof value === 'bigint' ? value.toString() : value;
}

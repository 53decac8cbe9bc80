import type { AppSnapshot } from '../../src-preload/contract/app-events.js';
import type { BridgeResult } from '../../src-preload/contract/result.js';
import type { Handlers } from './border.js';

export const done = <T>(value: T): BridgeResult<T> => ({ ok: true, value });
const unavailable = async (): Promise<BridgeResult<never>> => ({
  ok: false,
  error: { code: 'unavailable', message: 'This is not available yet.' },
});

export interface HandlerParts {
  readonly snapshot: () => AppSnapshot;
  readonly chooseWorkspace: () => Promise<void>;
  readonly openWorkspace: (path: string) => string | null;
  readonly forgetRecent: (path: string) => void;
  readonly copyText: (text: string) => void;
  readonly openExternal: (url: string) => Promise<boolean>;
  readonly setTheme: (theme: 'system' | 'light' | 'dark') => void;
}

export function makeHandlers(parts: HandlerParts): Handlers {
  return {
    'app.snapshot': async () => done(parts.snapshot()),
    'app.answer': unavailable,
    'app.openExternal': async ({ url }) =>
      (await parts.openExternal(url))
        ? done(null)
        : { ok: false, error: { code: 'refused', message: 'Gatehouse opens only links to its own documentation.' } },
    'app.copyText': async ({ text }) => {
      parts.copyText(text);
      return done(null);
    },
    'app.setTheme': async ({ theme }) => {
      parts.setTheme(theme);
      return done(null);
    },
    'app.showPlace': async () => done(null),
    'notices.dismiss': unavailable,
    'workspace.choose': async () => {
      await parts.chooseWorkspace();
      return done(null);
    },
    'workspace.open': async ({ path }) => {
      const problem = parts.openWorkspace(path);
      return problem === null ? done(null) : { ok: false, error: { code: 'not-found', message: problem } };
    },
    'workspace.forgetRecent': async ({ path }) => {
      parts.forgetRecent(path);
      return done(null);
    },
    'compose.run': unavailable,
    'compose.plan': unavailable,
    'calls.list': unavailable,
    'calls.get': unavailable,
    'calls.stop': unavailable,
    'batches.stop': unavailable,
    'calls.output': unavailable,
    'calls.searchOutput': unavailable,
    'approvals.decide': unavailable,
    'approvals.denyOne': unavailable,
    'approvals.edit': unavailable,
    'approvals.checkEdit': unavailable,
    'approvals.close': unavailable,
    'results.submit': unavailable,
    'undo.preview': unavailable,
    'undo.apply': unavailable,
    'recovery.decide': unavailable,
    'audit.verify': unavailable,
    'history.export': unavailable,
    'telemetry.get': unavailable,
    'tools.list': unavailable,
    'tools.setPolicy': unavailable,
    'settings.get': unavailable,
    'settings.set': unavailable,
    'settings.reset': unavailable,
    'settings.openFile': unavailable,
    'secrets.set': unavailable,
    'secrets.remove': unavailable,
    'gateway.setEnabled': unavailable,
    'gateway.rotateToken': unavailable,
    'gateway.disconnect': unavailable,
    'gateway.connectInfo': unavailable,
    'gateway.test': unavailable,
  };
}

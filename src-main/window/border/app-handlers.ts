import type { AppSnapshot, Place } from '#contract/window/app-events.js';
import type { Handlers } from './border.js';
import { done, nothing, refuse } from './answers.js';

export interface AppServices {
  readonly snapshot: () => AppSnapshot;
  /** The person's answer to the question in the snapshot. */
  readonly answer: (yes: boolean) => Promise<void>;
  readonly openExternal: (url: string) => Promise<boolean>;
  readonly copyText: (text: string) => void;
  readonly setTheme: (theme: 'system' | 'light' | 'dark') => void;
  readonly showPlace: (place: Place) => void;
  readonly dismissNotice: (id: string) => void;
  /** Null when it is done; otherwise why not. */
  readonly actOnNotice: (id: string) => string | null;
  readonly chooseWorkspace: () => Promise<string | null>;
  /** Null when it was opened, or the person is asked first; otherwise why not. */
  readonly openWorkspace: (path: string) => Promise<string | null>;
  readonly forgetRecent: (path: string) => void;
}

type AppChannels =
  | 'app.snapshot'
  | 'app.answer'
  | 'app.openExternal'
  | 'app.copyText'
  | 'app.setTheme'
  | 'app.showPlace'
  | 'notices.dismiss'
  | 'notices.act'
  | 'workspace.choose'
  | 'workspace.open'
  | 'workspace.forgetRecent';

const opened = (problem: string | null) => (problem === null ? nothing : refuse('refused', problem));

export const appHandlers = (app: AppServices): Pick<Handlers, AppChannels> => ({
  'app.snapshot': async () => done(app.snapshot()),
  'app.answer': async ({ yes }) => {
    await app.answer(yes);
    return nothing;
  },
  'app.openExternal': async ({ url }) =>
    (await app.openExternal(url)) ? nothing : refuse('refused', 'Gatehouse opens only links to its own documentation.'),
  'app.copyText': async ({ text }) => {
    app.copyText(text);
    return nothing;
  },
  'app.setTheme': async ({ theme }) => {
    app.setTheme(theme);
    return nothing;
  },
  'app.showPlace': async ({ place }) => {
    app.showPlace(place);
    return nothing;
  },
  'notices.dismiss': async ({ id }) => {
    app.dismissNotice(id);
    return nothing;
  },
  'notices.act': async ({ id }) => opened(app.actOnNotice(id)),
  'workspace.choose': async () => opened(await app.chooseWorkspace()),
  'workspace.open': async ({ path }) => opened(await app.openWorkspace(path)),
  'workspace.forgetRecent': async ({ path }) => {
    app.forgetRecent(path);
    return nothing;
  },
});

import { appHandlers, type AppServices } from './app-handlers.js';
import type { Handlers } from './border.js';
import { gateHandlers, type GateServices } from './gate-handlers.js';
import { recordHandlers, type RecordServices } from './record-handlers.js';
import { settingsHandlers, type SettingsServices } from './settings-handlers.js';

export interface Services {
  readonly app: AppServices;
  readonly gate: GateServices;
  readonly record: RecordServices;
  readonly settings: SettingsServices;
}

/** Every channel of the contract, answered; a missing one does not compile. */
export const makeHandlers = ({ app, gate, record, settings }: Services): Handlers => ({
  ...appHandlers(app),
  ...gateHandlers(gate),
  ...recordHandlers(record),
  ...settingsHandlers(settings),
});

import { ask } from './use-request.js';

/** The page begins anew, with what main has; calls go on meanwhile. */
export const reloadWindow = (): void => void ask('app.reload', {});

import type { Route } from '../http/route.js';
import { invokeRoute } from './invoke-route.js';
import { listRoute } from './list-route.js';
import type { InvokeDeps } from './invoke-deps.js';
import { statusRoutes } from './status-routes.js';
import { WatchedCalls } from './watched-calls.js';

/** Seed 004 §4.1, over HTTP. */
export function toolRoutes(parts: InvokeDeps): readonly Route[] {
  const watched = new WatchedCalls(parts.invocations);
  return [invokeRoute(parts, watched), ...statusRoutes(parts, watched), listRoute(parts)];
}

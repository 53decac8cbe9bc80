export interface WindowState {
  readonly bounds: Rectangle;
  readonly maximized: boolean;
  readonly theme: 'system' | 'light' | 'dark';
}

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const WIDTH = 1280;
const HEIGHT = 820;
export const MINIMUM = { width: 640, height: 480 } as const;
/** The part of the window that must be on a screen for its title bar to be grasped. */
const MIN_GRASPABLE = 64;

/**
 * Parses a window state. Anything else (absent, cut off, made by hand) counts as none. Checked by hand: it is read
 * before anything that a schema needs is loaded.
 */
export function parseWindowState(text: string | null): WindowState | null {
  const { bounds, maximized, theme } = parseFields(text);
  const { x, y, width, height } = (bounds ?? {}) as { readonly [Key in keyof Rectangle]?: unknown };
  if (!isCoordinate(x) || !isCoordinate(y) || !isCoordinate(width) || !isCoordinate(height)) return null;
  if (typeof maximized !== 'boolean' || (theme !== 'system' && theme !== 'light' && theme !== 'dark')) return null;
  return { bounds: { x, y, width, height }, maximized, theme };
}

function parseFields(text: string | null): { readonly [Key in keyof WindowState]?: unknown } {
  try {
    return (JSON.parse(text ?? 'null') ?? {}) as { readonly [Key in keyof WindowState]?: unknown };
  } catch {
    return {};
  }
}

const isCoordinate = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) <= 100_000;

/** Places the window: where it was, if that is still on a screen; otherwise in the middle of the first. */
export function placeWindow(remembered: Rectangle | null, workAreas: readonly Rectangle[]): Rectangle {
  const [primary = { x: 0, y: 0, width: WIDTH, height: HEIGHT }] = workAreas;
  const home = (remembered === null ? undefined : workAreas.find((area) => canBeGrasped(remembered, area))) ?? null;
  const area = home ?? primary;
  const width = clamp(remembered?.width ?? WIDTH, MINIMUM.width, area.width);
  const height = clamp(remembered?.height ?? HEIGHT, MINIMUM.height, area.height);
  if (remembered === null || home === null) {
    return {
      x: Math.round(area.x + (area.width - width) / 2),
      y: Math.round(area.y + (area.height - height) / 2),
      width,
      height,
    };
  }
  return {
    x: Math.round(clamp(remembered.x, area.x - width + MIN_GRASPABLE, area.x + area.width - MIN_GRASPABLE)),
    y: Math.round(clamp(remembered.y, area.y, area.y + area.height - MIN_GRASPABLE)),
    width,
    height,
  };
}

const clamp = (value: number, low: number, high: number) =>
  Math.round(Math.max(low, Math.min(value, Math.max(low, high))));

function canBeGrasped(window: Rectangle, area: Rectangle): boolean {
  const across = Math.min(window.x + window.width, area.x + area.width) - Math.max(window.x, area.x);
  return across >= MIN_GRASPABLE && window.y >= area.y - 8 && window.y <= area.y + area.height - MIN_GRASPABLE;
}

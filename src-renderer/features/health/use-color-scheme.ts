import { useStatus } from '../../store/app.js';
import { useMediaQuery } from '../../ui/style/use-media-query.js';

/** The colour scheme that the canvas must be redrawn for: CSS follows by itself, pixels don't. */
export function useColorScheme(): 'light' | 'dark' {
  const { theme } = useStatus();
  const systemDark = useMediaQuery('(prefers-color-scheme: dark)');
  if (theme !== 'system') return theme;
  return systemDark ? 'dark' : 'light';
}

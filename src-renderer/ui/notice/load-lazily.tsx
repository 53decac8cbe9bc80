import { type ComponentType, lazy, Suspense } from 'react';
import { Skeleton } from './skeleton.js';

/** A part that is large and no part of the first picture: it is loaded when it is first shown. */
export function loadLazily<Props extends object>(
  label: string,
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const Part = lazy(async () => ({ default: await load() }));
  return (props: Props) => (
    <Suspense fallback={<Skeleton label={label} lines={3} />}>
      <Part {...props} />
    </Suspense>
  );
}

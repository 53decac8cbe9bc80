import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** So near to the end one follows what comes. */
const NEAR = 40;

/** Keeps whoever is at the end of a list there, whatever grows or shrinks; whoever scrolls away is left alone. */
export function useStickToEnd() {
  const scroller = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const wanted = useRef(true);
  const stay = useCallback(() => {
    const list = scroller.current;
    if (list !== null && wanted.current) list.scrollTo(0, list.scrollHeight);
  }, []);
  useLayoutEffect(stay);
  useEffect(() => {
    const list = scroller.current;
    if (list === null) return undefined;
    const resized = new ResizeObserver(stay);
    resized.observe(list);
    return () => resized.disconnect();
  }, [stay]);
  const toEnd = useCallback(() => {
    wanted.current = true;
    stay();
  }, [stay]);
  const onScroll = useCallback(() => {
    const list = scroller.current;
    if (list === null) return;
    wanted.current = list.scrollHeight - list.clientHeight - list.scrollTop <= NEAR;
    setAtEnd(wanted.current);
  }, []);
  return { scroller, atEnd, toEnd, onScroll };
}

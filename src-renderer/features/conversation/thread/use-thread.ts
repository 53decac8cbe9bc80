import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { ask } from '../../../bridge/use-request.js';
import { live } from '../../../store/app.js';
import { createLiveThread, type LiveThread, type ThreadState } from './live-thread.js';

/** Follows the messages of one conversation, for as long as the same one is shown. */
export function useThread(id: string): readonly [ThreadState, LiveThread] {
  const [thread] = useState(() =>
    createLiveThread({
      read: (limit, before) => ask('conversations.read', { id, limit, ...(before === null ? {} : { before }) }),
      beforeNextFrame: (work) => void requestAnimationFrame(work),
    }),
  );
  useEffect(() => {
    const ends = [
      live.on('message', ({ message }) => {
        if (message.conversationId === id) thread.onMessage(message);
      }),
      live.on('message-piece', ({ piece }) => {
        if (piece.conversationId === id) thread.onPiece(piece);
      }),
      live.onGap(() => void thread.reload()),
    ];
    void thread.reload();
    return () => ends.forEach((end) => end());
  }, [id, thread]);
  return [useStore(thread.store), thread];
}

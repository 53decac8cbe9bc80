import { Component, type ReactNode } from 'react';
import { Button } from '../form/button.js';
import { NoticeBox } from './notice-box.js';

interface ErrorBoundaryProps {
  /** What can't be shown: “This page”. */
  readonly what: string;
  readonly children: ReactNode;
}

interface ErrorBoundaryState {
  readonly error: Error | null;
}

/** One part that can't be drawn must not take the rest with it: the gate behind the window goes on working. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  static getDerivedStateFromError(thrown: unknown): ErrorBoundaryState {
    return { error: thrown instanceof Error ? thrown : new Error(String(thrown)) };
  }

  override state: ErrorBoundaryState = { error: null };

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div className="gh-broken">
        <NoticeBox
          severity="error"
          title={`${this.props.what} can’t be shown`}
          details={`${error.name}: ${error.message}\n${error.stack ?? ''}`}
          actions={
            <Button size="small" onClick={() => this.setState({ error: null })}>
              Show it again
            </Button>
          }
        >
          Something in the window failed. Calls and their record are not affected. If it fails again, please report the
          details.
        </NoticeBox>
      </div>
    );
  }
}

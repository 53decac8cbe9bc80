import { Component, type ReactNode } from 'react';
import { Button } from '../form/button.js';
import { NoticeBox } from './notice-box.js';

interface ErrorBoundaryProps {
  /** The part that can't be shown: “This page”. */
  readonly what: string;
  /** Begins anew with everything, where the part alone may not come back. */
  readonly onReload?: () => void;
  readonly children: ReactNode;
}

interface ErrorBoundaryState {
  readonly error: Error | null;
}

/** Keeps a part that can't be drawn from taking the rest with it: the gate behind the window goes on working. */
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
            <>
              <Button size="small" onClick={() => this.setState({ error: null })}>
                Show it again
              </Button>
              {this.props.onReload === undefined ? null : (
                <Button size="small" onClick={this.props.onReload}>
                  Reload the window
                </Button>
              )}
            </>
          }
        >
          Something in the window failed. Calls and their record are not affected. The log has the details.
        </NoticeBox>
      </div>
    );
  }
}

// The functions of the vendored libraries that the console uses, for `tsc --checkJs`.
declare module "preact" {
  export type ComponentType<P> = (properties: P) => unknown;
  export class Component<P = any, S = any> {
    props: P & { children?: any };
    state: S;
    setState(change: Partial<S> | ((before: S) => Partial<S>)): void;
    render(): unknown;
  }
  export function render(view: unknown, parent: Element): void;
  export function createContext<T>(value: T): { Provider: ComponentType<{ value: T }> };
}
declare module "preact/hooks" {
  type Inputs = readonly unknown[];
  export function useState<T>(first: T | (() => T)): [T, (next: T | ((before: T) => T)) => void];
  export function useRef<T>(first: T): { current: T };
  export function useEffect(run: () => void | undefined | (() => void), inputs?: Inputs): void;
  export function useLayoutEffect(run: () => void | undefined | (() => void), inputs?: Inputs): void;
  export function useMemo<T>(make: () => T, inputs: Inputs): T;
  export function useCallback<F extends (...given: any[]) => any>(run: F, inputs: Inputs): F;
  export function useContext<T>(context: { Provider: import("preact").ComponentType<{ value: T }> }): T;
  export function useId(): string;
}
declare module "@preact/signals" {
  export interface ReadonlySignal<T> {
    readonly value: T;
    peek(): T;
    subscribe(listener: (value: T) => void): () => void;
  }
  export interface Signal<T> extends ReadonlySignal<T> {
    value: T;
  }
  export function signal<T>(first: T): Signal<T>;
  export function computed<T>(make: () => T): ReadonlySignal<T>;
  export function effect(run: () => void | (() => void)): () => void;
  export function batch<T>(run: () => T): T;
  export function untracked<T>(run: () => T): T;
  export function useSignal<T>(first: T): Signal<T>;
  export function useComputed<T>(make: () => T): ReadonlySignal<T>;
  export function useSignalEffect(run: () => void | (() => void)): void;
}
declare module "htm/preact" {
  export function html(parts: TemplateStringsArray, ...values: unknown[]): any;
}

/**
 * The prices of one side in order, best first: a tree of bitmaps with 32 children per node.
 *
 * A price is a key that grows as the price gets worse, so that "best" is always the smallest key and both
 * sides share all code below. The root covers only the span that the live keys need: prices near each other
 * (as those of a market are) make a tree of two to four floors, and the farthest apart, up to 2^53 ticks, one
 * of eleven. Finding, adding, removing and stepping cost one node per floor, however many prices and orders
 * there are.
 *
 * Invariants: no node but an empty root is without children; a root of more than one floor has at least two;
 * a parent's bit is set exactly when the child exists.
 */

import { assert } from '../../domain/assert.ts';
import { BUY, type SideCode } from '../../domain/order-codes.ts';
import { indexAt } from '../memory/columns.ts';

export type Ladder = {
  root: number;
  /** Floors above the leaves; a leaf covers 32 neighbouring keys. */
  height: number;
  /** The keys the root covers. */
  firstKey: number;
  lastKey: number;
  /** Which of the 32 children of a node exist. */
  bits: Int32Array;
  /** A node's 32 children: nodes, or in a leaf the levels. */
  children: Int32Array;
  parents: Int32Array;
  usedNodes: number;
  /** Head of the list of freed nodes, linked by `parents`. */
  freeNode: number;
};

/** No level, no node, no order. */
export const NONE = -1;

const WAYS = 32;
/** A key's low 32 bits hold the digits of floors 0 to 5; the floors above need a division. */
const LOW_FLOORS = 6;
const LOW_SPAN = 2 ** 30;

export function newLadder(): Ladder {
  return {
    root: NONE,
    height: 0,
    firstKey: 0,
    lastKey: 0,
    bits: new Int32Array(16),
    children: new Int32Array(16 * WAYS),
    parents: new Int32Array(16),
    usedNodes: 0,
    freeNode: NONE,
  };
}

/** Asks are worse as they rise, bids as they fall. No price is 0, so no key has two signs. */
export const keyOf = (side: SideCode, ticks: number): number => (side === BUY ? -ticks : ticks);

/** The level at a key, or NONE. */
export function findKey(ladder: Ladder, key: number): number {
  if (ladder.root === NONE || key < ladder.firstKey || key > ladder.lastKey) return NONE;
  let node = ladder.root;
  for (let floor = ladder.height; floor >= 0; floor--) {
    const digit = digitOf(key, floor);
    if (((indexAt(ladder.bits, node) >>> digit) & 1) === 0) return NONE;
    node = indexAt(ladder.children, node * WAYS + digit);
  }
  return node;
}

/** The level at the smallest key, or NONE. */
export function firstLevel(ladder: Ladder): number {
  return ladder.root === NONE ? NONE : descend(ladder, ladder.root, ladder.height);
}

/** The level at the next key above one whose leaf is known, or NONE. */
export function nextLevelAbove(ladder: Ladder, leaf: number, key: number): number {
  let node = leaf;
  for (let floor = 0; floor <= ladder.height; floor++) {
    const digit = digitOf(key, floor);
    const above = indexAt(ladder.bits, node) & ~((2 << digit) - 1);
    if (above !== 0) {
      const child = indexAt(ladder.children, node * WAYS + lowestBit(above));
      return floor === 0 ? child : descend(ladder, child, floor - 1);
    }
    node = indexAt(ladder.parents, node);
  }
  return NONE;
}

/** Adds a level at a key that has none. Returns its leaf, needed for stepping and removal. */
export function addKey(ladder: Ladder, key: number, level: number): number {
  assert(
    key !== 0 && Number.isSafeInteger(key),
    'a price is a whole number of ticks, at least one',
  );
  cover(ladder, key);
  let node = ladder.root;
  for (let floor = ladder.height; floor > 0; floor--) {
    const digit = digitOf(key, floor);
    if (((indexAt(ladder.bits, node) >>> digit) & 1) === 0) {
      setChild(ladder, node, digit, newNode(ladder, node));
    }
    node = indexAt(ladder.children, node * WAYS + digit);
  }
  setChild(ladder, node, digitOf(key, 0), level);
  return node;
}

export function removeKey(ladder: Ladder, leaf: number, key: number): void {
  let node = leaf;
  for (let floor = 0; ; floor++) {
    const rest = indexAt(ladder.bits, node) & ~(1 << digitOf(key, floor));
    ladder.bits[node] = rest;
    if (rest !== 0) break;
    const parent = indexAt(ladder.parents, node);
    freeNode(ladder, node);
    if (node === ladder.root) {
      ladder.root = NONE;
      return;
    }
    node = parent;
  }
  if (node === ladder.root) lowerRoot(ladder);
}

/** Raises the root until it covers the key. Spans are aligned, so all their bounds stay exact. */
function cover(ladder: Ladder, key: number): void {
  if (ladder.root === NONE) {
    ladder.root = newNode(ladder, NONE);
    ladder.height = 0;
    setSpan(ladder, key);
  }
  while (key < ladder.firstKey || key > ladder.lastKey) {
    const child = ladder.root;
    const childKey = ladder.firstKey;
    assert(ladder.height < 10, 'eleven floors cover every price');
    ladder.height++;
    ladder.root = newNode(ladder, NONE);
    ladder.parents[child] = ladder.root;
    setChild(ladder, ladder.root, digitOf(childKey, ladder.height), child);
    setSpan(ladder, childKey);
  }
}

/** Removes roots with a single child, so that a distant price that has gone costs nothing. */
function lowerRoot(ladder: Ladder): void {
  while (ladder.height > 0) {
    const bits = indexAt(ladder.bits, ladder.root);
    if ((bits & (bits - 1)) !== 0) return;
    const digit = lowestBit(bits);
    const child = indexAt(ladder.children, ladder.root * WAYS + digit);
    const childSpan = WAYS ** ladder.height;
    const childKey = aligned(ladder.firstKey, childSpan * WAYS) + digit * childSpan;
    freeNode(ladder, ladder.root);
    ladder.root = child;
    ladder.height--;
    ladder.parents[child] = NONE;
    setSpan(ladder, childKey);
  }
}

/** The highest spans reach beyond the possible prices; the stored bounds do not. */
function setSpan(ladder: Ladder, keyInside: number): void {
  const span = WAYS ** (ladder.height + 1);
  const firstKey = aligned(keyInside, span);
  ladder.firstKey = Math.max(firstKey, Number.MIN_SAFE_INTEGER);
  ladder.lastKey = Math.min(firstKey + (span - 1), Number.MAX_SAFE_INTEGER);
}

const aligned = (key: number, span: number): number => Math.floor(key / span) * span;

function descend(ladder: Ladder, from: number, floors: number): number {
  let node = from;
  for (let floor = floors; floor >= 0; floor--) {
    node = indexAt(ladder.children, node * WAYS + lowestBit(indexAt(ladder.bits, node)));
  }
  return node;
}

function digitOf(key: number, floor: number): number {
  if (floor < LOW_FLOORS) return (key >>> (5 * floor)) & 31;
  return (Math.floor(key / LOW_SPAN) >> (5 * (floor - LOW_FLOORS))) & 31;
}

const lowestBit = (bits: number): number => 31 - Math.clz32(bits & -bits);

function setChild(ladder: Ladder, node: number, digit: number, child: number): void {
  ladder.children[node * WAYS + digit] = child;
  ladder.bits[node] = indexAt(ladder.bits, node) | (1 << digit);
}

function newNode(ladder: Ladder, parent: number): number {
  let node = ladder.freeNode;
  if (node === NONE) {
    if (ladder.usedNodes === ladder.bits.length) growNodes(ladder);
    node = ladder.usedNodes++;
  } else {
    ladder.freeNode = indexAt(ladder.parents, node);
  }
  ladder.bits[node] = 0;
  ladder.parents[node] = parent;
  return node;
}

function freeNode(ladder: Ladder, node: number): void {
  ladder.parents[node] = ladder.freeNode;
  ladder.freeNode = node;
}

function growNodes(ladder: Ladder): void {
  const capacity = ladder.bits.length * 2;
  const bits = new Int32Array(capacity);
  const children = new Int32Array(capacity * WAYS);
  const parents = new Int32Array(capacity);
  bits.set(ladder.bits);
  children.set(ladder.children);
  parents.set(ladder.parents);
  ladder.bits = bits;
  ladder.children = children;
  ladder.parents = parents;
}

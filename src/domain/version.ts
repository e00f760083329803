/** Of the program, as in package.json. An earlier one is named where only it can finish old data. */
export const VERSION = '0.2.0';

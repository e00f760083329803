// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

// The ERC-20 of the chain suite. It can be told to fail, or to answer "false" and move nothing, as
// some tokens do. `build-test-token.mjs` compiles it into `test-token.json`.
contract TestToken {
    uint8 public constant decimals = 6;
    uint8 public mode; // 0 pays, 1 reverts, 2 answers false
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor() {
        balanceOf[msg.sender] = type(uint128).max;
        emit Transfer(address(0), msg.sender, type(uint128).max);
    }

    function setMode(uint8 next) external {
        mode = next;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        require(mode != 1, "frozen");
        if (mode == 2) return false;
        pay(to, value);
        return true;
    }

    // Several transfers in one transaction.
    function pay2(address first, address second, uint256 value) external {
        pay(first, value);
        pay(second, value);
    }

    function pay(address to, uint256 value) private {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
    }
}
